package preemption

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// droppedByExtender is the answer of a node whose candidate an extender has dropped (rule 10.2.6).
var droppedByExtender = Status{Code: Unschedulable, Reasons: []string{prose.Dropped}}

// callExtenders asks the extenders about the candidates, one after the other, each about those that the
// one before has left, and none once none are left (group 10.2). They may drop nodes and change the
// victims of others. An error ends the attempt.
func (a *attempt) callExtenders(answers []answer) error {
	interested := slices.DeleteFunc(slices.Clone(a.config.Extenders), func(x Extender) bool {
		return x.Interested != nil && !x.Interested(a.pod)
	})
	if len(interested) == 0 {
		return nil
	}

	left := a.shown(answers)
	for i := range interested {
		if len(left) == 0 {
			break
		}
		x := &interested[i]
		said, err := x.Process(context.Background(), a.pod, copied(left))
		if err != nil {
			if x.Ignorable {
				continue
			}
			return fmt.Errorf("extender %s: pod %s: %w", x.Name, a.pod.Key(), err)
		}
		accepted, err := a.accept(x, left, answers, said)
		switch {
		case err == nil:
			left = accepted
		case !x.Ignorable:
			return err // rules 10.2.2 and 10.2.3
		}
	}
	a.adopt(answers, left)
	return nil
}

// shown lists the candidates as the first extender is shown them (rule 10.2.1).
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

// copied returns candidates that an extender may write into: what it has no say in stays as it is here (rule 10.2.1).
func copied(left []Candidate) []Candidate {
	copies := slices.Clone(left)
	for i := range copies {
		c := &copies[i]
		c.Victims, c.ClearedNominations, c.Score = slices.Clone(c.Victims), slices.Clone(c.ClearedNominations), c.Score.copy()
	}
	return copies
}

// accept checks what an extender said, and returns it in the order of the nodes. Of what it said the
// nodes, the pods of the victims in its order, and the number of violations count.
func (a *attempt) accept(x *Extender, given []Candidate, answers []answer, said []Candidate) ([]Candidate, error) {
	byNode := map[string]*Candidate{}
	for i := range said {
		c := &said[i]
		if len(c.Victims) == 0 && x.Ignorable && a.siteOf[c.Node] != nil && byNode[c.Node] == nil && !a.takesNobody() {
			continue // rule 10.2.4
		}
		if problem := a.problemOf(c, given, byNode); problem != "" {
			return nil, fmt.Errorf("extender %s: node %s: %w: %s", x.Name, c.Node, outrank.ErrInvalid, problem)
		}
		byNode[c.Node] = c
	}

	var accepted []Candidate
	for _, one := range answers {
		if c := byNode[one.site.node.Name]; c != nil {
			accepted = append(accepted, a.asSaid(one, c))
		}
	}
	return accepted, nil
}

// problemOf says what makes no sense about a candidate of an extender (rules 10.2.3 and 10.2.4).
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
	if status := a.guarding(a.podsAlone(c.Victims)...).says(); status.Code != Success {
		return fmt.Sprintf("the victims may not leave together: %s", status)
	}
	return ""
}

// foreignVictim finds a victim that neither runs on the node nor leaves with one that does (rule 10.2.3).
func (a *attempt) foreignVictim(c *Candidate, given []Candidate) outrank.Key {
	seen := map[outrank.Key]bool{}
	for i := range c.Victims {
		v := c.Victims[i].Pod
		if v == nil {
			return "(nil)"
		}
		withOneThere := slices.ContainsFunc(given, func(g Candidate) bool {
			return g.Node == c.Node && slices.ContainsFunc(g.Victims, func(w Victim) bool { return sameName(v, w.Pod) })
		})
		p := a.runningAs(v)
		if p == nil || seen[v.Key()] || p.site.node.Name != c.Node && !withOneThere {
			return v.Key()
		}
		seen[v.Key()] = true
	}
	return ""
}

// podsAlone are the victims, each as a unit of its own: an extender may name some of a group alone.
func (a *attempt) podsAlone(victims []Victim) []*unit {
	var units []*unit
	for i := range victims {
		units = append(units, &unit{pods: []*occupant{a.runningAs(victims[i].Pod)}})
	}
	return units
}

// asSaid is the candidate of an extender in the form of ours, with the victims in its order. Victims
// that were found on the node keep their reasons (rule 10.2.1).
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

// victimAsFound is a victim with the reasons that were found for it, if it was found.
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

// scoreAsSaid is the score of victims in an extender's order, with the violations that it counts (rule 10.2.1).
func (a *attempt) scoreAsSaid(victims []Victim, violations int) Score {
	score := a.scoreOf(a.sortedVictims(victims))
	if len(victims) > 0 {
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

// adopt makes what the extenders have left the candidates, those about other nodes, too (rules 10.2.3 and 10.2.6).
func (a *attempt) adopt(answers []answer, left []Candidate) {
	byNode := map[string]*Candidate{}
	for i := range left {
		byNode[left[i].Node] = &left[i]
	}
	for i := range answers {
		one := &answers[i]
		c := byNode[one.site.node.Name]
		if c == nil {
			if one.candidate != nil {
				one.after, one.candidate = droppedByExtender, nil
			}
			continue
		}

		adopted := a.asSaid(*one, c)
		adopted.Victims = a.sortedVictims(adopted.Victims)
		one.tried, one.after, one.candidate = true, Status{}, &adopted
	}
}

// takesNobody reports whether a node may be taken on which nobody leaves (rule 13.2.11).
func (a *attempt) takesNobody() bool { return a.config.Variant == outrank.VariantV1_13 }

// Extender can drop and change candidates before one is chosen (group 10.2; callExtenders).
// Extenders are called one after the other, each with the candidates that the one before has
// left, and none once there are no more.
type Extender struct {
	// Name stands in errors.
	Name string
	// Interested reports whether the extender has to do with the pod; nil: with every pod.
	Interested func(pod *outrank.Pod) bool
	// Process returns the candidates that are left, of which Node, the pods of Victims and
	// Score.Violations count. It may drop nodes, and change the victims of others, which have to be
	// pods that run there. It may change the slice that it is given, which is sorted by the order of
	// the nodes, and the candidates in it.
	//
	// The candidates are as a plan has them, but for the figures of ranks with a Figure, which are found
	// later. What an extender before this one has changed is worked out anew, with the score; the victims
	// then stand in its order, and one that it has named has neither Violated nor Blocks. By the variant
	// v1.13, those that violate a budget stand before the others at first (rule 13.2.3).
	Process func(ctx context.Context, pod *outrank.Pod, candidates []Candidate) ([]Candidate, error)
	// Ignorable has failures of the extender ignored: an error then counts as if it had not been
	// asked, and a node that it returns without victims as if it had dropped the node.
	Ignorable bool
}
