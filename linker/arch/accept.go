package arch

// pair is an input architecture that a target of another number takes.
type pair struct {
	from, to int
	toolkits [toolkitCount]bool
}

var pairs = [...]pair{
	{50, 52, [toolkitCount]bool{true, false}},
	{60, 61, [toolkitCount]bool{true, false}},
	{70, 75, [toolkitCount]bool{true, false}},
	{80, 86, [toolkitCount]bool{true, true}},
	{80, 89, [toolkitCount]bool{true, true}},
	{86, 89, [toolkitCount]bool{true, true}},
	{100, 103, [toolkitCount]bool{false, true}},
	{120, 121, [toolkitCount]bool{false, true}},
}

// Accepts reports whether a link for target takes machine code made for in. Equal numbers go together whatever their
// suffixes; otherwise only a few pairs inside a family do, and only without the suffix a on the input (observed: every
// architecture's object was linked for every target). For the pairs from sm_100 on a fatbin entry must also say that it
// has Mercury code and carry its compatibility block; that test is the caller's.
func (t *Toolkit) Accepts(target, in Arch) bool {
	if target.SM == in.SM {
		return true
	}
	if in.Suffix == Accelerated {
		return false
	}
	for i := range pairs {
		if p := &pairs[i]; p.from == in.SM && p.to == target.SM {
			return p.toolkits[t.index]
		}
	}
	return false
}

// AcceptsPTX reports whether a fatbin entry with PTX for in can be compiled for target. Up to 12.4 suffixes are not
// looked at. Later, accelerated PTX serves its own architecture only and family PTX its family.
func (t *Toolkit) AcceptsPTX(target, in Arch) bool {
	if in.SM > target.SM {
		return false
	}
	if t.index == toolkit124 {
		return true
	}
	switch in.Suffix {
	case Accelerated:
		return in == target
	case Family:
		return in.SM/10 == target.SM/10
	}
	return true
}
