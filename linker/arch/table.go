package arch

// profiles has one row per SM number, ascending.
var profiles = [...]Profile{
	{
		SM: 50, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124: 0x10000,
		RelAction:    true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 52, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124: 0x18000,
		RelAction:    true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 53, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124: 0x10000,
		RelAction:    true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 60, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124: 0x10000,
		RelAction:    true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 61, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124: 0x18000,
		RelAction:    true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 62, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124: 0x10000,
		RelAction:    true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 70, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x18000,
		RelAction:    true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 72, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x10000,
		RelAction:    true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 75, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x10000, sharedMax130: 0x10000,
		RelAction: true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 80, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x29000, sharedMax130: 0x28c00,
		RelAction: true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 86, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x19000, sharedMax130: 0x18c00,
		RelAction: true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 87, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x29000, sharedMax130: 0x28c00,
		RelAction: true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 88, toolkits: [toolkitCount]string{"", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x18c00,
		RelAction:    true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 89, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x29000, sharedMax130: 0x18c00,
		RelAction: true, RegistersInInfo: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 90, toolkits: [toolkitCount]string{".a", ".a"},
		ParamBase: 0x210, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x29000, sharedMax130: 0x38c00, ReservedShared: ReservedSharedSize,
		Compat: true, RelAction: true, BindlessAlign: 4, Segments: &plainSegments,
	},
	{
		SM: 100, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x38c00, ReservedShared: ReservedSharedSize,
		Mercury: true, Compat: true, BindlessAlign: 16, BindlessRela: true, FastPath: 0x09, FastPathPair: 0x01, Segments: &mercurySegments,
	},
	{
		SM: 103, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x38c00, ReservedShared: ReservedSharedSize,
		Mercury: true, Compat: true, BindlessAlign: 16, BindlessRela: true, Segments: &mercurySegments,
	},
	{
		SM: 110, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x38c00, ReservedShared: ReservedSharedSize,
		Mercury: true, Compat: true, BindlessAlign: 16, BindlessRela: true, Segments: &mercurySegments,
	},
	{
		SM: 120, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x18c00, ReservedShared: ReservedSharedSize,
		Mercury: true, Compat: true, BindlessAlign: 16, BindlessRela: true, FastPath: 0x50, FastPathPair: 0x10, Segments: &mercurySegments,
	},
	{
		SM: 121, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x18c00, ReservedShared: ReservedSharedSize,
		Mercury: true, Compat: true, BindlessAlign: 16, BindlessRela: true, Segments: &mercurySegments,
	},
}
