package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Each file below testdata/scenarios is about one rule. The commands are
//
//	cluster              a new cluster; see scenario.Cluster
//	config               how to decide from here on; see scenarioConfig
//	preempt POD          which pods have to leave; see scenario.Line.Pod
//	explain POD          the same with all candidates and nodes
//	across POD           the same with victims on other nodes, the best of all sets
//	group                the same for the pods in the body as a group
//	apply                carry out the plan that was found last
//	change               change the cluster; see scenarioWorld.change
//	undo                 take the last apply or change back
//
// Every question is asked several times and has to have the same answer each
// time; see scenarioWorld.decide.
func TestScenarios(t *testing.T) {
	scenario.Run(t, "../testdata/scenarios/*.txt", func(t *testing.T) map[string]scenario.Handler {
		w := &scenarioWorld{t: t}
		return map[string]scenario.Handler{
			"cluster": w.load, "config": w.configure, "preempt": w.preempt, "explain": w.explain,
			"across": w.across, "group": w.preemptGroup, "apply": w.apply, "change": w.change, "undo": w.undo,
		}
	})
}

// scenarioWorld is the state of a scenario.
type scenarioWorld struct {
	t *testing.T
	// cluster is what snap should hold, kept beside it by plainer means.
	cluster *outrank.Cluster
	snap    *engine.Snapshot
	config  preemption.Config
	offset  int // where a sample begins
	// found is what the caller's scheduler says of nodes, by their names; nil if it says nothing.
	found map[string]string
	// own is set where the configuration is not the default one.
	own   bool
	plan  *preemption.Plan
	group *preemption.GroupPlan
	marks []scenarioMark
}

// scenarioMark is a state to go back to.
type scenarioMark struct {
	mark    engine.Mark
	cluster *outrank.Cluster
}

func (w *scenarioWorld) load(c *scenario.Command) (string, error) {
	w.cluster = scenario.Cluster(c.Body)
	w.plan, w.group, w.marks = nil, nil, nil
	var err error
	w.snap, err = engine.NewSnapshot(w.cluster)
	return "", err
}

var errNoCluster = errors.New("there is no cluster yet")

func (w *scenarioWorld) preempt(c *scenario.Command) (string, error) {
	ex, err := w.decide(c)
	if err != nil {
		return refused(err), nil
	}
	return planText(plantest.Unexplained(ex)), nil
}

func (w *scenarioWorld) explain(c *scenario.Command) (string, error) {
	ex, err := w.decide(c)
	if err != nil {
		return refused(err), nil
	}
	return planText(plantest.Unexplained(ex)) + explanationText(ex), nil
}

func refused(err error) string { return "error: " + strings.ReplaceAll(err.Error(), "\n", " ") + "\n" }

// remember keeps the state to go back to, and changes a copy of the cluster.
func (w *scenarioWorld) remember() {
	w.marks = append(w.marks, scenarioMark{w.snap.Mark(), w.cluster})
	c := *w.cluster
	c.Pods, c.Nodes, c.Budgets = slices.Clone(c.Pods), slices.Clone(c.Nodes), slices.Clone(c.Budgets)
	w.cluster = &c
}

// apply carries the last plan out on the snapshot, and by hand on the cluster.
func (w *scenarioWorld) apply(*scenario.Command) (string, error) {
	switch {
	case w.group != nil:
		w.remember()
		w.withdraw(podsOf(w.group.Victims), nil)
		for _, a := range w.group.Placement {
			w.nominate(a.Pod, a.Node)
		}
		return w.state(w.snap.Apply(w.group))
	case w.plan != nil && w.plan.Outcome == preemption.Preempts:
		w.remember()
		w.withdraw(scenarioPods(w.plan.Victims), w.plan.ClearedNominations)
		w.nominate(w.plan.Pod, w.plan.Node)
		return w.state(w.snap.Apply(w.plan))
	}
	return "", errors.New("there is no plan to carry out")
}

func scenarioPods(victims []preemption.Victim) []*outrank.Pod {
	var out []*outrank.Pod
	for _, v := range victims {
		out = append(out, v.Pod)
	}
	return out
}

// withdraw takes victims off the cluster, and nominations off pods.
func (w *scenarioWorld) withdraw(victims, cleared []*outrank.Pod) {
	for _, v := range victims {
		w.remove(v.Key())
	}
	for _, p := range cleared {
		w.nominate(p, "")
	}
}

// nominate puts a pending pod with this nomination in place of one of its name.
func (w *scenarioWorld) nominate(p *outrank.Pod, node string) {
	w.remove(p.Key())
	q := *p
	q.NominatedNodeName = node
	w.cluster.Pods = append(w.cluster.Pods, &q)
}

func (w *scenarioWorld) remove(key outrank.Key) {
	w.cluster.Pods = slices.DeleteFunc(w.cluster.Pods, func(p *outrank.Pod) bool { return p.Key() == key })
}

func (w *scenarioWorld) undo(*scenario.Command) (string, error) {
	n := len(w.marks) - 1
	if n < 0 {
		return "", errors.New("there is nothing to undo")
	}
	m := w.marks[n]
	w.cluster, w.marks, w.plan, w.group = m.cluster, w.marks[:n], nil, nil
	return w.state(w.snap.Undo(m.mark))
}

// change changes the cluster, a statement on a line:
//
//	pod ...              a pod comes; see scenario.Line.Pod
//	gone POD             a pod goes
//	bind POD NODE        a pending pod gets its node
//	nominate POD [NODE]  a pending pod gets a nomination, or loses it
//	node ...             a node comes, or replaces the one of its name
//	budget ...           a budget comes, or replaces the one of its name
func (w *scenarioWorld) change(c *scenario.Command) (string, error) {
	if w.snap == nil {
		return "", errNoCluster
	}
	w.remember()
	for _, l := range c.Body {
		if err := w.changeBy(l); err != nil {
			l.Fail("%v", err)
		}
	}
	_, err := w.state(nil)
	return "", err
}

func (w *scenarioWorld) changeBy(l *scenario.Line) error {
	switch kind := l.Next("kind of change"); kind {
	case "pod":
		p := l.Pod()
		w.cluster.Pods = append(w.cluster.Pods, p)
		return errOf(w.snap.PutPod(p))
	case "gone":
		key := scenarioKey(l.Next("name of the pod"))
		w.remove(key)
		return w.snap.RemovePod(key)
	case "bind":
		return w.bind(scenarioKey(l.Next("name of the pod")), l.Next("name of the node"))
	case "nominate":
		key, node := scenarioKey(l.Next("name of the pod")), ""
		if l.More() {
			node = l.Next("name of the node")
		}
		if p, ok := w.snap.Pod(key); ok {
			w.nominate(p, node)
		}
		return w.snap.Nominate(key, node)
	case "node":
		return w.putNode(l.Node())
	case "budget":
		b := l.Budget()
		w.cluster.Budgets = append(slices.DeleteFunc(w.cluster.Budgets, func(o *outrank.PodDisruptionBudget) bool { return o.Key() == b.Key() }), b)
		return setBudgets(w.snap, w.cluster.Budgets)
	default:
		return fmt.Errorf("unknown kind of change %q", kind)
	}
}

func (w *scenarioWorld) bind(key outrank.Key, node string) error {
	for i, p := range w.cluster.Pods {
		if p.Key() == key {
			q := *p
			q.NodeName, q.NominatedNodeName = node, ""
			w.cluster.Pods[i] = &q
		}
	}
	return w.snap.Bind(key, node)
}

func (w *scenarioWorld) putNode(n *outrank.Node) error {
	for i, o := range w.cluster.Nodes {
		if o.Name == n.Name {
			w.cluster.Nodes[i] = n
			return w.snap.PutNode(n)
		}
	}
	w.cluster.Nodes = append(w.cluster.Nodes, n)
	return w.snap.PutNode(n)
}

// state shows the cluster after a change. The snapshot that was changed and one
// made anew have to show the same.
func (w *scenarioWorld) state(err error) (string, error) {
	if err != nil {
		return "", err
	}
	fresh, err := engine.NewSnapshot(w.cluster)
	if err != nil {
		return "", err
	}
	got := stateText(w.snap)
	assert.Equal(w.t, stateText(fresh), got, "the snapshot that was changed, and one made anew")
	return got, nil
}

// scenarioKey is a pod's key; a name without a namespace is in the default one.
func scenarioKey(name string) outrank.Key {
	return outrank.NewKey(outrank.Key(name).Split())
}
