package cuname

import (
	"math"
	"strconv"
	"strings"
)

// literal reads L type value E, or the name of a function or variable.
func (r *reader) literal() string {
	r.expect("L")
	if r.take("_Z") {
		s := r.encoding(false)
		r.expect("E")
		return s
	}
	c := r.peek()
	if c == 'e' || c == 'g' {
		r.fail() // the reference does not read them
		return ""
	}
	text := r.typ().String()
	switch {
	case text == "std::nullptr_t" && r.peek() == 'E':
		text = "nullptr"
	case r.peek() == 'E':
		text = "(" + text + `)"..."` // a string, whose text is not part of the name
	case strings.HasPrefix(text, "_Complex "):
		width := floatWidth(strings.TrimSuffix(strings.TrimPrefix(text, "_Complex "), " "))
		re := r.float(width)
		r.expect("_")
		text = "(" + text + ")(" + re + "+" + r.float(width) + "i)"
	case c == 'f' || c == 'd':
		text = "(" + text + ")" + r.float(floatWidth(text))
	default:
		text = "(" + text + ")" + r.offset()
	}
	r.expect("E")
	return text
}

// floatWidth is the size in bits of a type whose values the reference shows, 0 of another one.
func floatWidth(t string) int {
	switch t {
	case "float":
		return 32
	case "double":
		return 64
	}
	return 0
}

// float reads the bits of a value in hexadecimal digits. It shows as many decimal digits as its type always keeps.
func (r *reader) float(width int) string {
	n := width / 4
	if n == 0 || len(r.rest) < n || strings.ToLower(r.rest[:n]) != r.rest[:n] {
		r.fail()
		return ""
	}
	bits, err := strconv.ParseUint(r.rest[:n], 16, width)
	if err != nil {
		r.fail()
		return ""
	}
	r.rest = r.rest[n:]
	value, digits := math.Float64frombits(bits), 15
	if width == 32 {
		value, digits = float64(math.Float32frombits(uint32(bits))), 6
	}
	return decimal(value, digits)
}

// decimal writes a number as printf's %g does, and so that it does not read as an integer.
func decimal(value float64, digits int) string {
	switch {
	case math.IsNaN(value) && math.Signbit(value):
		return "-nan"
	case math.IsNaN(value):
		return "nan"
	case math.IsInf(value, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(value, 'g', -1, 64)), "+")
	}
	scientific := strconv.FormatFloat(value, 'e', digits-1, 64)
	mantissa, exponent, _ := strings.Cut(scientific, "e")
	power, err := strconv.Atoi(exponent)
	if err != nil {
		return scientific
	}
	if power < -4 || power >= digits {
		return trimZeros(mantissa) + "e" + exponent
	}
	text := trimZeros(strconv.FormatFloat(value, 'f', digits-1-power, 64))
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// trimZeros cuts zeros behind a decimal point, and the point if nothing is left behind it.
func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
