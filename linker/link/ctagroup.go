package link

// ctaConflict is an entry that gets TCGEN05_1CTA_USED beside TCGEN05_2CTA_USED, or the other way round, from what it
// reaches; at is the record that brings the second of the two. An entry whose own records have both is let pass (observed).
type ctaConflict struct {
	at    readingPos
	entry funcID
}

func (s *infoSum) ctaConflict(own *ownAttrs) readingPos {
	one, two := s.first(tOneCTA), s.first(tTwoCTA)
	if one == 0 || two == 0 {
		return 0
	}
	if own.has(tOneCTA) {
		one = 0
	}
	if own.has(tTwoCTA) {
		two = 0
	}
	return max(one, two)
}
