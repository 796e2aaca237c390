package hostobj

import (
	"errors"
	"fmt"
)

// Linked is a linked image and the modules that it was linked from: what the host object of a device link says.
//
// Each module's constructor calls __cudaRegisterLinkedBinary<id>(callback, wrap, id, ref), where wrap is
// __fatbinwrap<id>, the record of the module's own container. The k-th call stores the module's container and callback; the last
// one registers the linked container, whose record also points to the list of the modules' containers, arranges for its removal at exit, and calls the
// callbacks, which register kernels and variables, in the order in which they came (observed of the object that nvcc -dlink compiles).
type Linked struct {
	// Container is the fatbin container with the linked image of each architecture.
	Container []byte
	// IDs are the identifiers of the modules: the arguments of DEFINE_REGISTER_FUNC of the register file. There may be none.
	IDs []string
}

// ErrBadID is returned for an identifier that cannot be part of a symbol of C, or that stands twice.
var ErrBadID = errors.New("not an identifier of a module")

// The record in .nvFatBinSegment (observed): magic, version of records of linked containers, container, list of the modules' containers.
const (
	recordMagic   = 0x466243B1
	recordVersion = 2
	recordSize    = 24

	recordContainer = 8
	recordModules   = 16
)

// Names that host objects of modules and the runtime library know (observed).
const (
	nameRegisterLinked = "__cudaRegisterLinkedBinary"
	nameWrap           = "__fatbinwrap"
	nameRegister       = "__cudaRegisterFatBinary"
	nameRegisterEnd    = "__cudaRegisterFatBinaryEnd"
	nameUnregister     = "__cudaUnregisterFatBinary"
	nameAtExit         = "atexit"

	// moduleIDPrefix is in front of each identifier in __nv_module_id of a linked object.
	moduleIDPrefix = "def "
)

// check tests the identifiers, which become parts of symbols.
func (l *Linked) check() error {
	seen := make(map[string]bool, len(l.IDs))
	for _, id := range l.IDs {
		if id == "" {
			return fmt.Errorf("%w: empty", ErrBadID)
		}
		for _, c := range []byte(id) {
			if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
				return fmt.Errorf("%w: %q", ErrBadID, id)
			}
		}
		if seen[id] {
			return fmt.Errorf("%w: %q stands twice", ErrBadID, id)
		}
		seen[id] = true
	}
	return nil
}
