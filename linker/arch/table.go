package arch

// profiles has one row per SM number, ascending.
var profiles = [...]Profile{
	{
		SM: 50, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124:  0x10000,
		BindlessAlign: 4,
	},
	{
		SM: 52, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124:  0x18000,
		BindlessAlign: 4,
	},
	{
		SM: 53, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124:  0x10000,
		BindlessAlign: 4,
	},
	{
		SM: 60, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124:  0x10000,
		BindlessAlign: 4,
	},
	{
		SM: 61, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124:  0x18000,
		BindlessAlign: 4,
	},
	{
		SM: 62, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x140, Textures: 256, Samplers: 32, Surfaces: 16,
		sharedMax124:  0x10000,
		BindlessAlign: 4,
	},
	{
		SM: 70, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124:  0x18000,
		BindlessAlign: 4,
	},
	{
		SM: 72, toolkits: [toolkitCount]string{".", ""},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124:  0x10000,
		BindlessAlign: 4,
	},
	{
		SM: 75, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x10000, sharedMax130: 0x10000,
		BindlessAlign: 4,
	},
	{
		SM: 80, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x29000, sharedMax130: 0x28c00,
		BindlessAlign: 4,
	},
	{
		SM: 86, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x19000, sharedMax130: 0x18c00,
		BindlessAlign: 4,
	},
	{
		SM: 87, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x29000, sharedMax130: 0x28c00,
		BindlessAlign: 4,
	},
	{
		SM: 88, toolkits: [toolkitCount]string{"", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130:  0x18c00,
		BindlessAlign: 4,
	},
	{
		SM: 89, toolkits: [toolkitCount]string{".", "."},
		ParamBase: 0x160, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x29000, sharedMax130: 0x18c00,
		BindlessAlign: 4,
	},
	{
		SM: 90, toolkits: [toolkitCount]string{".a", ".a"},
		ParamBase: 0x210, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax124: 0x29000, sharedMax130: 0x38c00, ReservedShared: reservedShared,
		Compat: true, BindlessAlign: 4,
	},
	{
		SM: 100, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x38c00, ReservedShared: reservedShared,
		Mercury: true, Compat: true, BindlessAlign: 16, FastPath: 0x09, FastPathPair: 0x01,
	},
	{
		SM: 103, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x38c00, ReservedShared: reservedShared,
		Mercury: true, Compat: true, BindlessAlign: 16,
	},
	{
		SM: 110, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x38c00, ReservedShared: reservedShared,
		Mercury: true, Compat: true, BindlessAlign: 16,
	},
	{
		SM: 120, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x18c00, ReservedShared: reservedShared,
		Mercury: true, Compat: true, BindlessAlign: 16, FastPath: 0x50, FastPathPair: 0x10,
	},
	{
		SM: 121, toolkits: [toolkitCount]string{"", ".af"},
		ParamBase: 0x380, Textures: 256, Samplers: 32, Surfaces: 32,
		sharedMax130: 0x18c00, ReservedShared: reservedShared,
		Mercury: true, Compat: true, BindlessAlign: 16,
	},
}
