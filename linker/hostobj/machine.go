package hostobj

import "encoding/binary"

// Machine is a host architecture that objects are written for.
type Machine uint16

// The machines, by e_machine.
const (
	X86_64  Machine = 62
	AArch64 Machine = 183
)

// place is something that an instruction refers to.
type place uint8

const (
	nowhere place = iota
	// In .bss.
	placeHandle
	placeCount
	placeModules
	placeCallbacks
	placeCallbacksEnd
	// In .nvFatBinSegment.
	placeRecord
	// In .text.
	placeUnregister
	// Undefined symbols.
	placeCudaRegister
	placeCudaRegisterEnd
	placeCudaUnregister
	placeAtExit
	placeWrap // of the module whose function is encoded
	// Labels of the code itself.
	placeRegister
	placeLoop
	placeDone
	// The number of modules, as an immediate operand.
	placeModuleCount
)

// fix is how a place enters an instruction.
type fix uint8

const (
	noFix   fix = iota
	fixData     // x86-64: 32 bits at the end, relative to what follows
	fixGOT      // x86-64: likewise, to the pointer to the symbol
	fixCall     // x86-64: likewise, to a function
	fixImm32
	fixShort // x86-64: 8 bits at the end, to a label
	fixNear  // x86-64: 32 bits at the end, to a label
	fixPage  // AArch64: 4 KiB page of the place, in an ADRP
	fixLow   // AArch64: offset in that page, in an ADD
	fixGOTPage
	fixGOTLow
	fixBL
	fixB       // AArch64: jump to a function
	fixLabel26 // AArch64: 26 bits of words, to a label
	fixLabel19 // AArch64: 19 bits of words at bit 5, to a label
	fixMovLow  // AArch64: 16 low bits of the immediate at bit 5
	fixMovHigh // AArch64: 16 high bits
)

// ins is an instruction: its encoding with zeros where a place enters, or, without code, a label.
type ins struct {
	code  string
	fix   fix
	place place
}

// relocation types of the two psABIs.
const (
	rX86_64    = 1   // R_X86_64_64
	rX86PC32   = 2   // R_X86_64_PC32
	rX86PLT32  = 4   // R_X86_64_PLT32
	rX86GOT    = 42  // R_X86_64_REX_GOTPCRELX
	rARMAbs64  = 257 // R_AARCH64_ABS64
	rARMPage   = 275 // R_AARCH64_ADR_PREL_PG_HI21
	rARMLow    = 277 // R_AARCH64_ADD_ABS_LO12_NC
	rARMJump26 = 282 // R_AARCH64_JUMP26
	rARMCall26 = 283 // R_AARCH64_CALL26
	rARMGOT    = 311 // R_AARCH64_ADR_GOT_PAGE
	rARMGOTLow = 312 // R_AARCH64_LD64_GOT_LO12_NC
)

// fixRelocs are the relocation that a fix leaves for the linker, at the last four bytes of the instruction, and what is added to its
// addend because x86-64 counts from the instruction's end. Fixes without a row are settled here.
var fixRelocs = [fixMovHigh + 1]struct {
	typ  uint32
	bias int64
}{
	fixData:    {rX86PC32, -4},
	fixGOT:     {rX86GOT, -4},
	fixCall:    {rX86PLT32, -4},
	fixPage:    {rARMPage, 0},
	fixLow:     {rARMLow, 0},
	fixGOTPage: {rARMGOT, 0},
	fixGOTLow:  {rARMGOTLow, 0},
	fixBL:      {rARMCall26, 0},
	fixB:       {rARMJump26, 0},
}

// program is the code of one machine.
type program struct {
	abs64                        uint32 // relocation type of a pointer
	register, unregister, module []ins
	property                     string // descriptor of .note.gnu.property: the code keeps branch tracking possible
}

func programOf(m Machine) *program {
	switch m {
	case X86_64:
		return &x86Program
	case AArch64:
		return armProgram()
	}
	return nil
}

// The code of culink_register(callback, wrap), in the words of C:
//
//	if (count >= N) return;
//	modules[count] = wrap->container; callbacks[count] = callback; count++;
//	if (count != N) return;
//	handle = __cudaRegisterFatBinary(&record); atexit(culink_unregister);
//	for each callback: callback(handle);
//	__cudaRegisterFatBinaryEnd(handle);
var x86Program = program{
	abs64: rX86_64,
	register: []ins{
		{place: placeRegister},
		{"\xf3\x0f\x1e\xfa", noFix, nowhere},                         // endbr64
		{"\x53", noFix, nowhere},                                     // push rbx
		{"\x41\x54", noFix, nowhere},                                 // push r12
		{"\x48\x83\xec\x08", noFix, nowhere},                         // sub rsp, 8
		{"\x8b\x0d\x00\x00\x00\x00", fixData, placeCount},            // mov ecx, [count]
		{"\x81\xf9\x00\x00\x00\x00", fixImm32, placeModuleCount},     // cmp ecx, N
		{"\x73\x00", fixShort, placeDone},                            // jae done
		{"\x48\x8b\x46\x08", noFix, nowhere},                         // mov rax, [rsi+8]
		{"\x48\x8d\x15\x00\x00\x00\x00", fixData, placeModules},      // lea rdx, [modules]
		{"\x48\x89\x04\xca", noFix, nowhere},                         // mov [rdx+rcx*8], rax
		{"\x48\x8d\x15\x00\x00\x00\x00", fixData, placeCallbacks},    // lea rdx, [callbacks]
		{"\x48\x89\x3c\xca", noFix, nowhere},                         // mov [rdx+rcx*8], rdi
		{"\xff\xc1", noFix, nowhere},                                 // inc ecx
		{"\x89\x0d\x00\x00\x00\x00", fixData, placeCount},            // mov [count], ecx
		{"\x81\xf9\x00\x00\x00\x00", fixImm32, placeModuleCount},     // cmp ecx, N
		{"\x75\x00", fixShort, placeDone},                            // jne done
		{"\x48\x8d\x3d\x00\x00\x00\x00", fixData, placeRecord},       // lea rdi, [record]
		{"\xe8\x00\x00\x00\x00", fixCall, placeCudaRegister},         // call __cudaRegisterFatBinary
		{"\x48\x89\x05\x00\x00\x00\x00", fixData, placeHandle},       // mov [handle], rax
		{"\x48\x89\xc3", noFix, nowhere},                             // mov rbx, rax
		{"\x48\x8d\x3d\x00\x00\x00\x00", fixData, placeUnregister},   // lea rdi, [culink_unregister]
		{"\xe8\x00\x00\x00\x00", fixCall, placeAtExit},               // call atexit
		{"\x4c\x8d\x25\x00\x00\x00\x00", fixData, placeCallbacks},    // lea r12, [callbacks]
		{place: placeLoop},                                           //
		{"\x48\x89\xdf", noFix, nowhere},                             // mov rdi, rbx
		{"\x41\xff\x14\x24", noFix, nowhere},                         // call [r12]
		{"\x49\x83\xc4\x08", noFix, nowhere},                         // add r12, 8
		{"\x48\x8d\x05\x00\x00\x00\x00", fixData, placeCallbacksEnd}, // lea rax, [end of callbacks]
		{"\x49\x39\xc4", noFix, nowhere},                             // cmp r12, rax
		{"\x75\x00", fixShort, placeLoop},                            // jne loop
		{"\x48\x89\xdf", noFix, nowhere},                             // mov rdi, rbx
		{"\xe8\x00\x00\x00\x00", fixCall, placeCudaRegisterEnd},      // call __cudaRegisterFatBinaryEnd
		{place: placeDone},                                           //
		{"\x48\x83\xc4\x08", noFix, nowhere},                         // add rsp, 8
		{"\x41\x5c", noFix, nowhere},                                 // pop r12
		{"\x5b", noFix, nowhere},                                     // pop rbx
		{"\xc3", noFix, nowhere},                                     // ret
	},
	unregister: []ins{
		{place: placeUnregister},
		{"\xf3\x0f\x1e\xfa", noFix, nowhere},                   // endbr64
		{"\x48\x8b\x3d\x00\x00\x00\x00", fixData, placeHandle}, // mov rdi, [handle]
		{"\xe9\x00\x00\x00\x00", fixCall, placeCudaUnregister}, // jmp __cudaUnregisterFatBinary
	},
	module: []ins{
		{"\xf3\x0f\x1e\xfa", noFix, nowhere},                // endbr64
		{"\x48\x8b\x35\x00\x00\x00\x00", fixGOT, placeWrap}, // mov rsi, [pointer to __fatbinwrap<id>]
		{"\xe9\x00\x00\x00\x00", fixNear, placeRegister},    // jmp culink_register
	},
	property: "\x02\x00\x00\xc0\x04\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00", // x86 feature: IBT, SHSTK
}

func armProgram() *program {
	return &program{
		abs64: rARMAbs64,
		register: []ins{
			{place: placeRegister},
			arm(0xd503245f, noFix, nowhere),               // bti c
			arm(0xa9be7bfd, noFix, nowhere),               // stp x29, x30, [sp, -32]!
			arm(0x910003fd, noFix, nowhere),               // mov x29, sp
			arm(0xa90153f3, noFix, nowhere),               // stp x19, x20, [sp, 16]
			arm(0x90000003, fixPage, placeCount),          // adrp x3, count
			arm(0x91000063, fixLow, placeCount),           // add x3, x3, :lo12:count
			arm(0xb9400064, noFix, nowhere),               // ldr w4, [x3]
			arm(0x52800005, fixMovLow, placeModuleCount),  // mov w5, N
			arm(0x72a00005, fixMovHigh, placeModuleCount), // movk w5, N >> 16, lsl 16
			arm(0x6b05009f, noFix, nowhere),               // cmp w4, w5
			arm(0x54000002, fixLabel19, placeDone),        // b.hs done
			arm(0xf9400422, noFix, nowhere),               // ldr x2, [x1, 8]
			arm(0x90000006, fixPage, placeModules),        // adrp x6, modules
			arm(0x910000c6, fixLow, placeModules),         // add x6, x6, :lo12:modules
			arm(0xf82478c2, noFix, nowhere),               // str x2, [x6, x4, lsl 3]
			arm(0x90000006, fixPage, placeCallbacks),      // adrp x6, callbacks
			arm(0x910000c6, fixLow, placeCallbacks),       // add x6, x6, :lo12:callbacks
			arm(0xf82478c0, noFix, nowhere),               // str x0, [x6, x4, lsl 3]
			arm(0x11000484, noFix, nowhere),               // add w4, w4, 1
			arm(0xb9000064, noFix, nowhere),               // str w4, [x3]
			arm(0x6b05009f, noFix, nowhere),               // cmp w4, w5
			arm(0x54000001, fixLabel19, placeDone),        // b.ne done
			arm(0x90000000, fixPage, placeRecord),         // adrp x0, record
			arm(0x91000000, fixLow, placeRecord),          // add x0, x0, :lo12:record
			arm(0x94000000, fixBL, placeCudaRegister),     // bl __cudaRegisterFatBinary
			arm(0xaa0003f3, noFix, nowhere),               // mov x19, x0
			arm(0x90000001, fixPage, placeHandle),         // adrp x1, handle
			arm(0x91000021, fixLow, placeHandle),          // add x1, x1, :lo12:handle
			arm(0xf9000020, noFix, nowhere),               // str x0, [x1]
			arm(0x90000000, fixPage, placeUnregister),     // adrp x0, culink_unregister
			arm(0x91000000, fixLow, placeUnregister),      // add x0, x0, :lo12:culink_unregister
			arm(0x94000000, fixBL, placeAtExit),           // bl atexit
			arm(0x90000014, fixPage, placeCallbacks),      // adrp x20, callbacks
			arm(0x91000294, fixLow, placeCallbacks),       // add x20, x20, :lo12:callbacks
			{place: placeLoop},                            //
			arm(0xf8408681, noFix, nowhere),               // ldr x1, [x20], 8
			arm(0xaa1303e0, noFix, nowhere),               // mov x0, x19
			arm(0xd63f0020, noFix, nowhere),               // blr x1
			arm(0x90000002, fixPage, placeCallbacksEnd),   // adrp x2, end of callbacks
			arm(0x91000042, fixLow, placeCallbacksEnd),    // add x2, x2, :lo12:end of callbacks
			arm(0xeb02029f, noFix, nowhere),               // cmp x20, x2
			arm(0x54000001, fixLabel19, placeLoop),        // b.ne loop
			arm(0xaa1303e0, noFix, nowhere),               // mov x0, x19
			arm(0x94000000, fixBL, placeCudaRegisterEnd),  // bl __cudaRegisterFatBinaryEnd
			{place: placeDone},                            //
			arm(0xa94153f3, noFix, nowhere),               // ldp x19, x20, [sp, 16]
			arm(0xa8c27bfd, noFix, nowhere),               // ldp x29, x30, [sp], 32
			arm(0xd65f03c0, noFix, nowhere),               // ret
		},
		unregister: []ins{
			{place: placeUnregister},
			arm(0xd503245f, noFix, nowhere),            // bti c
			arm(0x90000000, fixPage, placeHandle),      // adrp x0, handle
			arm(0x91000000, fixLow, placeHandle),       // add x0, x0, :lo12:handle
			arm(0xf9400000, noFix, nowhere),            // ldr x0, [x0]
			arm(0x14000000, fixB, placeCudaUnregister), // b __cudaUnregisterFatBinary
		},
		module: []ins{
			arm(0xd503245f, noFix, nowhere),            // bti c
			arm(0x90000001, fixGOTPage, placeWrap),     // adrp x1, :got:__fatbinwrap<id>
			arm(0xf9400021, fixGOTLow, placeWrap),      // ldr x1, [x1, :got_lo12:__fatbinwrap<id>]
			arm(0x14000000, fixLabel26, placeRegister), // b culink_register
		},
		property: "\x00\x00\x00\xc0\x04\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00", // AArch64 feature: BTI
	}
}

func arm(word uint32, f fix, p place) ins {
	return ins{string(binary.LittleEndian.AppendUint32(nil, word)), f, p}
}
