package preemption

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
)

// mostUnits is the largest number of possible victims for which every set is tried: 16 of them have 65,535 sets
// beside the empty one.
const mostUnits = 16

var errTooMany = errors.New("more than 16 possible victims: package preemption tries every set of them, and package preemption/engine searches")

// exact finds the best set of victims on each node (group 13.4). Steps that depend on the order in which a
// variant finds victims give way to the plain ones.
func (s steps) exact(config *Config) steps {
	s.readsTop, s.shows = plain().readsTop, plain().shows
	s.recharge = chargeAgain

	// The victims of chapter 9, with the budgets charged for them alone, settle ties (rule 13.4.3).
	reprieve := s
	reprieve.victims = (*attempt).removeAndReprieve
	s.victims = func(a *attempt, s *site, possible []*unit) (*Candidate, Status, error) {
		return a.bestSet(s, possible, &reprieve, config.Budgets == NeverViolate)
	}
	return s
}

// bestSet finds the best set by the ranks among all sets of possible victims that make room (rules 13.4.1
// and 13.4.2): it tries every one of them.
func (a *attempt) bestSet(s *site, possible []*unit, reprieve *steps, strict bool) (*Candidate, Status, error) {
	if len(possible) > mostUnits {
		return nil, Status{}, fmt.Errorf("node %s: %w", s.name(), errTooMany)
	}

	// Nobody has to leave a node that takes the pod as it is (rules 9.9 and 13.2.11).
	if a.steps.fits(a.dryRun(s)).Code == Success {
		if a.steps.takesFree(a, s) {
			return a.certified(a.candidate(s, nil, nil)), Status{}, nil
		}
		return nil, nobodyHasTo(s), nil
	}

	// If no set will do although all possible victims together make room, it is budgets that stand in the way.
	best := a.bestOfAll(s, possible, a.reprieved(s, possible, reprieve, strict), strict)
	if best == nil {
		status := a.withAllGone(s, possible)
		if status.Code == Success {
			status = budgetsForbid
		}
		return nil, status, nil
	}
	return a.certified(a.withReasons(s, possible, best)), Status{}, nil
}

// bestOfAll returns the best candidate of all sets that make room, to begin with best, which may be nil. A
// set takes the place of the best so far only if it is better: so a tie in all ranks goes to the candidate
// that it began with, and then to the set that is tried first (rule 13.4.3).
func (a *attempt) bestOfAll(s *site, possible []*unit, best *Candidate, strict bool) *Candidate {
	for set := range eachSet(len(possible)) {
		units := chosenBy(set, possible)
		c := a.candidate(s, lossesWithoutReason(units), nil)
		if strict && c.Score.Violations > 0 {
			continue // rule 13.5.3
		}
		if best != nil {
			if order, _ := a.compare(c, best); order >= 0 {
				continue
			}
		}

		// The filters, which cost most, are asked only about a set that would be the best.
		if a.besideOthers(s, possible, units).Code == Success {
			best = c
		}
	}
	return best
}

// besideOthers returns the answer of a node with some of the possible victims away. All are taken away, and then
// the others put back. So if two pods hold one port, it is free only with both away (rule 13.4.5).
func (a *attempt) besideOthers(s *site, possible, away []*unit) Status {
	others := slices.DeleteFunc(slices.Clone(possible), func(u *unit) bool { return slices.Contains(away, u) })
	return a.steps.fits(a.dryRun(s).takeAway(possible...).putBack(others...))
}

// reprieved returns the candidate of chapter 9, with the budgets charged for its victims alone. It is nil
// where chapter 9 finds none, and where budgets are strict and it violates one.
func (a *attempt) reprieved(s *site, possible []*unit, by *steps, strict bool) *Candidate {
	// Whatever keeps chapter 9 from a candidate, another set may still make room (rule 13.4.4).
	c, _, _ := by.victims(a, s, possible)
	if c == nil || len(c.Victims) == 0 || strict && c.Score.Violations > 0 {
		return nil
	}
	return c
}

// eachSet goes through all sets of units but the empty one, each as a number whose bit i stands for the unit
// at position i. Of two sets the one that keeps the most important unit in which they differ comes first
// (rule 23.8).
func eachSet(units int) func(yield func(set uint) bool) {
	return func(yield func(set uint) bool) {
		for set := uint(1); set < 1<<units; set++ {
			// Units are in order of importance. Turned round, the highest bit of the counter stands for the
			// most important of them, and so it is taken in the second half of the sets alone.
			if !yield(bits.Reverse(set) >> (bits.UintSize - units)) {
				return
			}
		}
	}
}

// chosenBy lists the units of a set in order of importance. Each of them leaves whole (rule 13.4.1).
func chosenBy(set uint, possible []*unit) []*unit {
	var units []*unit
	for i, u := range possible {
		if set>>i&1 == 1 {
			units = append(units, u)
		}
	}
	return units
}

// lossesWithoutReason makes losses of units, without what they block.
func lossesWithoutReason(units []*unit) []loss {
	var losses []loss
	for _, u := range units {
		losses = append(losses, loss{unit: u})
	}
	return losses
}

// withReasons returns the candidate with what each of its victims blocks (rule 9.10).
func (a *attempt) withReasons(s *site, possible []*unit, c *Candidate) *Candidate {
	units := slices.DeleteFunc(slices.Clone(possible), func(u *unit) bool {
		return !slices.ContainsFunc(c.Victims, func(v Victim) bool { return v.Pod == u.pods[0].pod })
	})
	return a.candidate(s, a.lossesOf(a.dryRun(s).takeAway(units...), units), nil)
}

// certified adds the certificate that no set is better, as all have been tried (rule 13.4.6).
func (a *attempt) certified(c *Candidate) *Candidate {
	c.Certificate = &Certificate{Optimal: true, Bound: c.Score.copy()}
	return c
}

// certificateOf returns the certificate of a whole decision, in which every node was searched to the end
// (rule 13.4.7). It is nil unless the best victims were searched for.
func (a *attempt) certificateOf(best *Candidate) *Certificate {
	if _, exact := a.config.Victims.(Exact); !exact && !a.config.across() {
		return nil
	}
	c := &Certificate{Optimal: true}
	if best != nil {
		c.Bound = best.Score.copy()
	}
	return c
}

// copy returns an independent copy: figures of the caller's ranks may be added to it.
func (s Score) copy() Score {
	s.Own = maps.Clone(s.Own)
	return s
}
