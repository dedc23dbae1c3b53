package preemption

// Scorer has a score of the caller for each candidate.
type Scorer struct {
	// Name is for people.
	Name string
	// Score may look at the candidate during the call, and must neither change nor
	// keep it. It is called once for each candidate, on the goroutine of the caller.
	Score func(c *Candidate) int64
}
