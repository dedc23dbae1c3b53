package invariants

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
)

// NothingElseIsTouched holds that those who leave for a pod are on the node that is chosen, or leave with such a pod, and
// that nobody leaves unless the outcome says so; that the input is unchanged afterwards; and that the same question again
// gives the same bytes.
func (d Decider) NothingElseIsTouched(t *testing.T) {
	both(t, func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string {
			if a.unreadable != "" {
				return a.unreadable
			}
			if len(a.plan.Victims) > 0 && a.plan.Outcome != preemption.Preempts {
				return fmt.Sprintf("%s has to leave, though the outcome is %q", a.plan.Victims[0].Pod.Name, a.plan.Outcome)
			}
			if broken := first(a.all(), w.elsewhere); broken != "" {
				return broken
			}
			return d.untouched(w)
		})
	}, func(t *testing.T) {
		d.alwaysGroups(t, func(w *World, a *groupAnswer) string {
			if a.unreadable != "" {
				return a.unreadable
			}
			if broken := w.torn(a.victims); broken != "" {
				return broken
			}
			return d.untouched(w)
		})
	})
}

// elsewhere says which victim of a choice is on another node, or leaves in part.
func (w *World) elsewhere(c choice) string {
	for _, v := range c.victims {
		here := func(p *Pod) bool { return p.Node == c.node.Name }
		if u := w.unitOf(v); !slices.ContainsFunc(u.pods, here) {
			return fmt.Sprintf("%s has to leave %s for a place on %s", v.Name, v.Node, c.node.Name)
		}
		elsewhere := v.Node
		if v.Node == c.node.Name {
			elsewhere = ""
		}
		if said := c.reasons[v].Node; said != elsewhere {
			return fmt.Sprintf("%s, which is on %s, is said to be elsewhere than on %s: %q", v.Name, v.Node, c.node.Name, said)
		}
	}
	return w.torn(c.victims)
}

// torn says which unit leaves in part (rules 12.6.3 and 12.8.3).
func (w *World) torn(victims []*Pod) string {
	for _, v := range victims {
		for _, p := range w.unitOf(v).pods {
			if !slices.Contains(victims, p) {
				return fmt.Sprintf("%s has to leave without %s, which leaves with it", v.Name, p.Name)
			}
		}
	}
	return ""
}

// untouched asks twice about one cluster.
func (d Decider) untouched(w *World) string {
	c := w.Cluster()
	once := d.written(w, c)
	if !reflect.DeepEqual(c, w.Cluster()) {
		return "the input was changed"
	}
	if again := d.written(w, c); again != once {
		return "the same question again has another answer: " + apart(once, again)
	}
	return ""
}

// apart shows where two answers begin to differ.
func apart(one, other string) string {
	const before, most = 40, 100
	at := 0
	for at < min(len(one), len(other)) && one[at] == other[at] {
		at++
	}
	from := max(0, at-before)
	shown := func(text string) string { return text[from:min(len(text), from+most)] }
	return fmt.Sprintf("…%s… and not …%s…", shown(other), shown(one))
}

// TheOrderOfTheInputDecidesOnlyTheLastTie holds that the order of the pods changes nothing; that of the nodes nothing but
// which of those is chosen that tie in every rank; and that of the budgets nothing by the rules of v1.36, where all of
// them are charged (rules 6.3.6, 6.3.8 and 11.7).
func (d Decider) TheOrderOfTheInputDecidesOnlyTheLastTie(t *testing.T) {
	seeded.AtLeast(t, fewest)
	rapid.Check(t, func(t *rapid.T) {
		draw := Worlds
		if rapid.IntRange(0, 3).Draw(t, "a group asks") == 3 {
			draw = GroupWorlds
		}
		w := draw.Draw(t, "world")
		broken, panicked, _ := caught(func() (*string, error) {
			broken := d.byOrder(w)
			return &broken, nil
		})
		if panicked != "" {
			t.Fatal(panicked)
		}
		if *broken != "" {
			t.Fatal(*broken)
		}
	})
}

func (d Decider) byOrder(w *World) string {
	pods := w.Cluster()
	slices.Reverse(pods.Pods)
	if got, want := d.written(w, pods), d.written(w, w.Cluster()); got != want {
		return "with the pods turned round the answer is another one: " + apart(want, got)
	}
	if w.Asks[0].Group != "" {
		return "" // first fit goes by the order of the nodes
	}
	if broken := d.byOrderOfNodes(w); broken != "" {
		return broken
	}

	if w.Release == v136 {
		budgets := w.Cluster()
		slices.Reverse(budgets.Budgets)
		if got, want := d.chosen(w, budgets), d.chosen(w, w.Cluster()); got != want {
			return "with the budgets turned round the answer is another one: " + apart(want, got)
		}
	}
	return ""
}

func (d Decider) byOrderOfNodes(w *World) string {
	plain, err := d.ask(w)
	if err != nil {
		return ""
	}
	turned := *w
	turned.Nodes = slices.Clone(w.Nodes)
	slices.Reverse(turned.Nodes)
	other, err := d.ask(&turned)
	switch {
	case err != nil:
		return fmt.Sprintf("with the nodes turned round there is no answer, but the error %q", err)
	case other.plan.Outcome != plain.plan.Outcome || len(other.candidates) != len(plain.candidates):
		return fmt.Sprintf("with the nodes turned round the outcome is %q with %d candidates, and not %q with %d",
			other.plan.Outcome, len(other.candidates), plain.plan.Outcome, len(plain.candidates))
	case len(plain.candidates) == 0:
		return ""
	}
	one, two := w.price(plain.candidates[0]), turned.price(other.candidates[0])
	if last := len(one) - 1; !slices.Equal(one[:last], two[:last]) {
		return fmt.Sprintf("with the nodes turned round %s is the best at the price %v, and not %s at %v",
			other.candidates[0].node.Name, two[:last], plain.candidates[0].node.Name, one[:last])
	}
	return ""
}

// chosen returns the node with its victims. The budgets that these violate are listed in the order of the cluster.
func (d Decider) chosen(w *World, c *outrank.Cluster) string {
	plan, err := d.Preempt(c, w.Request(), w.Config())
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal([]any{plan.Outcome, plan.Node, fmt.Sprint(plan.Victims), plan.Score})
	if err != nil {
		return err.Error()
	}
	return string(text)
}
