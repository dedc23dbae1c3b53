package preemption

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// droppedByExtender is the answer of a node whose candidate an extender dropped (rule 10.2.6).
var droppedByExtender = Status{Code: Unschedulable, Reasons: []string{prose.Dropped}}

// callExtenders asks the extenders about the candidates, one after another (group 10.2). Each is asked about
// the candidates that the one before it has left, and may drop nodes and change the victims of others. The
// outcome is written into the answers. An error ends the attempt, and leaves the answers as they were.
func (a *attempt) callExtenders(answers []answer) error {
	// If no extender is interested, the candidates stay as they are.
	interested := slices.DeleteFunc(slices.Clone(a.config.Extenders), func(x Extender) bool {
		return x.Interested != nil && !x.Interested(a.pod)
	})
	if len(interested) == 0 {
		return nil
	}

	left := a.shown(answers)
	for i := range interested {
		if len(left) == 0 {
			break // rule 10.2.5
		}

		x := &interested[i]
		said, err := x.Process(context.Background(), a.pod, copied(left))
		if err != nil {
			if x.Ignorable {
				continue
			}
			return fmt.Errorf("extender %s: pod %s: %w", x.Name, a.pod.Key(), err)
		}

		// An invalid answer is a failure like any other: if the extender is ignorable, the candidates stay as
		// they were (rules 10.2.2 and 10.2.3).
		accepted, err := a.accept(x, left, answers, said)
		switch {
		case err == nil:
			left = accepted
		case !x.Ignorable:
			return err
		}
	}

	a.adopt(answers, left)
	return nil
}

// shown lists the candidates in the form in which the first extender is shown them (rule 10.2.1).
func (a *attempt) shown(answers []answer) []Candidate {
	var shown []Candidate
	for _, one := range answers {
		if one.candidate != nil {
			c := *one.candidate
			c.Victims = a.steps.shows(c.Victims)
			shown = append(shown, c)
		}
	}
	return shown
}

// copied returns copies of candidates for an extender, which may write into them. Only what it returns
// counts (rule 10.2.1).
func copied(left []Candidate) []Candidate {
	copies := slices.Clone(left)
	for i := range copies {
		c := &copies[i]
		c.Victims = slices.Clone(c.Victims)
		c.ClearedNominations = slices.Clone(c.ClearedNominations)
		c.Score = c.Score.copy()
	}
	return copies
}

// accept checks the candidates that an extender returned, and puts them in the order of the nodes. Only their
// nodes, victims and numbers of violations count; everything else is computed anew (rule 10.2.1). given are the
// candidates that the extender was asked about.
func (a *attempt) accept(x *Extender, given []Candidate, answers []answer, said []Candidate) ([]Candidate, error) {
	byNode := map[string]*Candidate{}
	for i := range said {
		c := &said[i]

		// An ignorable extender drops a node by naming no victims there (rule 10.2.4). A node that is not
		// there, or is named twice, is an error all the same.
		if len(c.Victims) == 0 && x.Ignorable && a.siteOf[c.Node] != nil && byNode[c.Node] == nil && !a.takesNobody() {
			continue
		}

		if problem := a.problemOf(c, given, byNode); problem != "" {
			return nil, fmt.Errorf("extender %s: node %s: %w: %s", x.Name, c.Node, outrank.ErrInvalid, problem)
		}
		byNode[c.Node] = c
	}

	var accepted []Candidate
	for _, one := range answers {
		if c := byNode[one.site.name()]; c != nil {
			accepted = append(accepted, a.asSaid(one, c))
		}
	}
	return accepted, nil
}

// problemOf says what is wrong with a candidate of an extender, empty for nothing (rules 10.2.3 and 10.2.4).
// byNode has the candidates before it.
func (a *attempt) problemOf(c *Candidate, given []Candidate, byNode map[string]*Candidate) string {
	switch {
	case a.siteOf[c.Node] == nil:
		return "there is no such node"
	case byNode[c.Node] != nil:
		return "it is named twice"
	case len(c.Victims) == 0 && !a.takesNobody():
		return "expected at least one victim pod"
	case len(c.Victims) > 0 && c.Score.Violations < 0:
		return fmt.Sprintf("%d violations", c.Score.Violations)
	}

	if name := a.foreignVictim(c, given); name != "" {
		return fmt.Sprintf("victim %s does not run there, or is named twice", name)
	}

	// The guard comes last: it can be asked only about pods that run (rule 13.6.6).
	if status := a.guarding(a.podsAlone(c.Victims)...).says(); status.Code != Success {
		return fmt.Sprintf("the victims may not leave together: %s", status)
	}
	return ""
}

// foreignVictim returns the name of a victim that may not stand in the candidate, empty if there is none
// (rule 10.2.3). A victim must run on the candidate's node, or have been shown to the extender as a victim of
// that node: a pod of a unit may run elsewhere. None may be named twice.
func (a *attempt) foreignVictim(c *Candidate, given []Candidate) outrank.Key {
	seen := map[outrank.Key]bool{}
	for i := range c.Victims {
		v := c.Victims[i].Pod
		if v == nil {
			return "(nil)"
		}

		shownThere := slices.ContainsFunc(given, func(g Candidate) bool {
			return g.Node == c.Node && slices.ContainsFunc(g.Victims, func(w Victim) bool { return sameName(v, w.Pod) })
		})
		p := a.runningAs(v)
		if p == nil || seen[v.Key()] || p.site.name() != c.Node && !shownThere {
			return v.Key()
		}
		seen[v.Key()] = true
	}
	return ""
}

// podsAlone makes each victim a unit of its own, because an extender may name some pods of a unit and leave
// out others.
func (a *attempt) podsAlone(victims []Victim) []*unit {
	var units []*unit
	for i := range victims {
		units = append(units, &unit{pods: []*occupant{a.runningAs(victims[i].Pod)}})
	}
	return units
}

// asSaid builds the candidate that an extender has returned, with the victims in the extender's order. Victims
// that were found before keep their reasons. What follows from the victims is computed anew (rule 10.2.1).
func (a *attempt) asSaid(one answer, said *Candidate) Candidate {
	c := Candidate{Node: said.Node}
	for i := range said.Victims {
		c.Victims = append(c.Victims, a.victimAsFound(one, a.runningAs(said.Victims[i].Pod)))
	}
	a.nameRules(a.podsAlone(c.Victims), c.Victims)
	c.Score = a.scoreAsSaid(c.Victims, said.Score.Violations)
	c.ClearedNominations = a.clearedNominations(one.site, c.Victims)
	return c
}

// victimAsFound returns a victim with the reasons that were found for it. A victim that the extender has added
// has none.
func (a *attempt) victimAsFound(one answer, p *occupant) Victim {
	if one.candidate != nil {
		for _, v := range one.candidate.Victims {
			if sameName(v.Pod, p.pod) {
				return v
			}
		}
	}
	return Victim{Pod: p.pod, Priority: p.unit.priority}
}

// scoreAsSaid returns the score of victims in an extender's order, with the extender's number of violations
// (rule 10.2.1).
func (a *attempt) scoreAsSaid(victims []Victim, violations int) Score {
	score := a.scoreOf(a.sortedVictims(victims))
	if len(victims) > 0 {
		// The variant v1.13 reads the top priority from the first victim as they stand (rule 13.2.3).
		score.Violations = violations
		a.steps.readsTop([]loss{{unit: &unit{pods: []*occupant{{pod: victims[0].Pod}}}}}, &score)
	}
	return score
}

// sortedVictims puts victims in order of importance (rule 10.2.5).
func (a *attempt) sortedVictims(victims []Victim) []Victim {
	unit := map[*outrank.Pod]*unit{}
	for i := range victims {
		unit[victims[i].Pod] = a.runningAs(victims[i].Pod).unit
	}
	sorted := slices.Clone(victims)
	slices.SortFunc(sorted, func(v, w Victim) int {
		return cmp.Or(a.compareUnits(unit[v.Pod], unit[w.Pod]), a.importance(v.Pod, w.Pod))
	})
	return sorted
}

// adopt writes the candidates that the extenders have left into the answers. A node whose candidate they
// dropped says so (rule 10.2.6), and a node that had none may have one now (rule 10.2.3).
func (a *attempt) adopt(answers []answer, left []Candidate) {
	byNode := map[string]*Candidate{}
	for i := range left {
		byNode[left[i].Node] = &left[i]
	}
	for i := range answers {
		one := &answers[i]
		c := byNode[one.site.name()]
		if c == nil {
			if one.candidate != nil {
				one.after, one.candidate = droppedByExtender, nil
			}
			continue
		}

		// Whatever the filters said, the node counts as tried with success (rule 10.2.3). The score is computed
		// from the victims in the extender's order; then they are put in order of importance (rule 10.2.5).
		adopted := a.asSaid(*one, c)
		adopted.Victims = a.sortedVictims(adopted.Victims)
		*one = answer{site: one.site, before: one.before, tried: true, candidate: &adopted}
	}
}

// takesNobody reports whether a candidate may have no victims (rule 13.2.11).
func (a *attempt) takesNobody() bool { return a.config.Variant == outrank.VariantV1_13 }

// Extender can drop and change candidates before one is chosen (group 10.2; callExtenders). Extenders are
// called one after another, each with the candidates that the one before has left. Once none are left, no
// other is called.
type Extender struct {
	// Name appears in errors.
	Name string
	// Interested reports whether the extender wants to be asked about the pod; nil means about every pod.
	Interested func(pod *outrank.Pod) bool
	// Process returns the candidates that are left. Their Node, the pods of their Victims and their
	// Score.Violations count. It may drop nodes, and change the victims of others: each victim has to run
	// on the node, or to be one that the candidate had. It may change the slice that it is given, which is
	// in the order of the nodes, and the candidates in it.
	//
	// The first extender is given the candidates as a plan has them, with two exceptions: figures of ranks
	// with a Figure are still missing, and with the variant v1.13 victims that violate a budget come before
	// the others (rule 13.2.3). A later extender is given the victims in the order of the one before it, with
	// scores that follow from them. A victim that an extender has added has neither Violated nor Blocks.
	Process func(ctx context.Context, pod *outrank.Pod, candidates []Candidate) ([]Candidate, error)
	// Ignorable means that failures of the extender are ignored: after an error the candidates stay as they
	// were. A node that an ignorable extender returns without victims is dropped.
	Ignorable bool
}
