package link

import "encoding/binary"

var le = binary.LittleEndian
