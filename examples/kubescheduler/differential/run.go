package differential

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Count counts the cases of one kind by their results.
type Count struct {
	// Cases counts all cases; the others count them by their results: a node takes the pod, the pod preempts, it may
	// not preempt, or nothing helps it.
	Cases, Fits, Preempts, NotEligible, Hopeless int
	// Tied counts the cases in which kube-scheduler could have chosen another node.
	Tied int
	// Candidates counts the candidates that were compared, Victims their victims.
	Candidates, Victims int
	// Apart counts the cases that were not compared. They count as nothing else.
	Apart int
	// Failed counts the cases with differences.
	Failed int
}

// add counts a case by its result.
func (n *Count) add(r *Result) {
	n.Cases++
	if r.Apart {
		n.Apart++
		return
	}

	a := r.Reference
	switch {
	case a.Fits:
		n.Fits++
	case a.Preempts:
		n.Preempts++
	case a.Nominated == NominationKept:
		n.NotEligible++
	default:
		n.Hopeless++
	}

	if r.Tied {
		n.Tied++
	}
	n.Candidates += len(a.Candidates)
	for _, c := range a.Candidates {
		n.Victims += len(c.Victims)
	}
	if len(r.Differences) > 0 {
		n.Failed++
	}
}

// Sweep describes a number of cases of several kinds. Their seeds count up from the first.
type Sweep struct {
	Kinds []string // empty means all
	Cases int
	Seed  uint64
	// Failure receives each case with differences, made as small as possible. It returns false to stop.
	Failure func(c *Case, r *Result) bool
	// Until ends the run early; zero means never.
	Until time.Time
}

// Sweep draws the cases and compares the answers about each. The kinds take turns.
func (h *Harness) Sweep(s Sweep) (map[string]*Count, error) {
	kinds := s.Kinds
	if len(kinds) == 0 {
		kinds = Kinds
	}
	counts := map[string]*Count{}
	for _, k := range kinds {
		counts[k] = &Count{}
	}

	for i := range s.Cases {
		if !s.Until.IsZero() && time.Now().After(s.Until) {
			break
		}

		kind, seed := kinds[i%len(kinds)], s.Seed+uint64(i/len(kinds))
		c, err := Generate(kind, seed)
		if err != nil {
			return counts, err
		}
		r, err := h.Run(c)
		if err != nil {
			return counts, fmt.Errorf("%s, seed %d: %w", kind, seed, err)
		}
		counts[kind].add(r)

		if len(r.Differences) > 0 && s.Failure != nil {
			c, r = h.Shrink(c, r)
			if !s.Failure(c, r) {
				break
			}
		}
	}
	return counts, nil
}

// WriteCounts writes a table of the counts.
func WriteCounts(w io.Writer, counts map[string]*Count) {
	fmt.Fprintln(w, "| kind | cases | fits | preempts | not eligible | no help | node tied | candidates | victims | not compared | differ |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|")
	var sum Count
	line := func(kind string, n *Count) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n",
			kind, n.Cases, n.Fits, n.Preempts, n.NotEligible, n.Hopeless, n.Tied, n.Candidates, n.Victims, n.Apart, n.Failed)
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		n := counts[kind]
		line(kind, n)
		sum = Count{sum.Cases + n.Cases, sum.Fits + n.Fits, sum.Preempts + n.Preempts, sum.NotEligible + n.NotEligible, sum.Hopeless + n.Hopeless,
			sum.Tied + n.Tied, sum.Candidates + n.Candidates, sum.Victims + n.Victims, sum.Apart + n.Apart, sum.Failed + n.Failed}
	}
	line("all", &sum)
}
