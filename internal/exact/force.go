package exact

// force takes the items away that every set has to have, where sets that make room make room
// with any more items gone: those beside which there is none even if all others leave. All are
// away now. Where everything but the columns agrees without these alone, the host need not be
// asked about any set.
func (s *Search) force() {
	for i := range s.q.Items {
		s.host.Return(int32(i))
		if !s.host.Fits() {
			s.forced = append(s.forced, int32(i))
		}
		s.host.Leave(int32(i))
	}
	s.eachFree(s.host.Return)
	s.q.Asked = s.q.Coarse || !s.host.Allows()
}
