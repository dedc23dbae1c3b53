package preemption

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
)

// mostUnits bounds the sets of victims that are tried one by one: a node with so many possible victims
// has 65,536 of them.
const mostUnits = 16

var errTooMany = errors.New("more than 16 possible victims: package preemption tries every set of them, and package preemption/engine searches")

// exact finds the best set of victims on each node (group 13.4).
func (s steps) exact(config *Config) steps {
	s.readsTop, s.shows = plain().readsTop, plain().shows
	s.recharge = chargeAgain
	reprieve := s // chapter 9 with the budgets of the victims alone, which settles ties
	reprieve.victims = (*attempt).removeAndReprieve
	s.victims = func(a *attempt, s *site, possible []*unit) (*Candidate, Status, error) {
		return a.bestSet(s, possible, &reprieve, config.Budgets == NeverViolate)
	}
	return s
}

// bestSet tries every set of the possible victims with which the pod passes every filter, and keeps the
// best by the ranks (rules 13.4.1 and 13.4.2).
func (a *attempt) bestSet(s *site, possible []*unit, reprieve *steps, strict bool) (*Candidate, Status, error) {
	if len(possible) > mostUnits {
		return nil, Status{}, fmt.Errorf("node %s: %w", s.node.Name, errTooMany)
	}
	if a.steps.fits(a.dryRun(s)).Code == Success {
		if a.steps.takesFree(a, s) {
			return a.certified(a.candidate(s, nil, nil)), Status{}, nil
		}
		return nil, nobodyHasTo(s), nil
	}

	best := a.reprieved(s, possible, reprieve, strict)
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
		if a.besideOthers(s, possible, units).Code == Success {
			best = c
		}
	}
	if best == nil {
		status := a.withAllGone(s, possible)
		if status.Code == Success {
			status = budgetsForbid
		}
		return nil, status, nil
	}
	return a.certified(a.withReasons(s, possible, best)), Status{}, nil
}

// besideOthers is the answer with these units away and the others of the possible victims put back: of two
// pods that hold one port both have to be among those that are away (rule 13.4.5).
func (a *attempt) besideOthers(s *site, possible, away []*unit) Status {
	others := slices.DeleteFunc(slices.Clone(possible), func(u *unit) bool { return slices.Contains(away, u) })
	return a.steps.fits(a.dryRun(s).takeAway(possible...).putBack(others...))
}

// reprieved is the candidate of chapter 9, with the budgets charged for its victims. It settles ties
// (rule 13.4.3).
func (a *attempt) reprieved(s *site, possible []*unit, by *steps, strict bool) *Candidate {
	c, _, _ := by.victims(a, s, possible)
	if c == nil || len(c.Victims) == 0 || strict && c.Score.Violations > 0 {
		return nil
	}
	return c
}

// eachSet goes through the sets of so many units that are not empty, those first that keep the most
// important (rule 23.8).
func eachSet(units int) func(yield func(set uint) bool) {
	return func(yield func(set uint) bool) {
		for set := uint(1); set < 1<<units; set++ {
			// The most important unit has the highest bit.
			if !yield(bits.Reverse(set) >> (bits.UintSize - units)) {
				return
			}
		}
	}
}

// chosenBy lists the units of a set, each of which leaves whole (rule 13.4.1).
func chosenBy(set uint, possible []*unit) []*unit {
	var units []*unit
	for i, u := range possible {
		if set>>i&1 == 1 {
			units = append(units, u)
		}
	}
	return units
}

// lossesWithoutReason are units of which nobody has asked yet what they block.
func lossesWithoutReason(units []*unit) []loss {
	var losses []loss
	for _, u := range units {
		losses = append(losses, loss{unit: u})
	}
	return losses
}

// withReasons is the candidate with what each of its victims blocks (rule 9.10).
func (a *attempt) withReasons(s *site, possible []*unit, c *Candidate) *Candidate {
	units := slices.DeleteFunc(slices.Clone(possible), func(u *unit) bool {
		return !slices.ContainsFunc(c.Victims, func(v Victim) bool { return v.Pod == u.pods[0].pod })
	})
	return a.candidate(s, a.lossesOf(a.dryRun(s).takeAway(units...), units), nil)
}

// certified adds that no set is better (rule 13.4.6).
func (a *attempt) certified(c *Candidate) *Candidate {
	c.Certificate = &Certificate{Optimal: true, Bound: c.Score.copy()}
	return c
}

// certificateOf is the certificate of a whole decision, nil where no best victims are searched for: each
// node was searched to the end (rule 13.4.7).
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

// copy returns a score with figures of its own.
func (s Score) copy() Score {
	s.Own = maps.Clone(s.Own)
	return s
}
