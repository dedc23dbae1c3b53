package state_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// noFilters has the traits of filters that look at nothing.
type noFilters struct{}

func (noFilters) Restricts(n *outrank.Node) bool                               { return n == nil }
func (noFilters) ConcernedBy(*outrank.Pod) state.FilterSet                     { return 0 }
func (noFilters) HeldOn(*state.NodeState, *[state.MaxFilters]int32) (held any) { return nil }

func snapshotOf(t require.TestingT, c *outrank.Cluster) *state.Snapshot {
	s, err := state.New(c, noFilters{})
	require.NoError(t, err)
	return s
}

// ledger is a snapshot beside a plain list of what it should hold.
type ledger struct {
	s     *state.Snapshot
	nodes []*outrank.Node
	pods  map[string]entry // by name
	made  int
	// marks lists the marks that can still be undone. clones lists snapshots that nobody changes any more.
	marks  []moment
	clones []moment
}

type entry struct {
	pod             *outrank.Pod
	node, nominated string
}

// moment is a snapshot at some time, with the text of its indexes and the ledger of that time.
type moment struct {
	s     *state.Snapshot
	mark  state.Mark
	said  string
	nodes []*outrank.Node
	pods  map[string]entry
}

func (l *ledger) now(mark state.Mark) moment {
	return moment{l.s, mark, l.text(l.s), slices.Clone(l.nodes), maps.Clone(l.pods)}
}

func amount(t *rapid.T, label string) int64 { return rapid.Int64Range(0, 4).Draw(t, label) }

func (l *ledger) nodeName(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "node")
}

func (l *ledger) anyPod(t *rapid.T, which func(entry) bool) (entry, bool) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(l.pods)) {
		if which(l.pods[name]) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return entry{}, false
	}
	return l.pods[rapid.SampledFrom(names).Draw(t, "pod")], true
}

func (l *ledger) PutPod(t *rapid.T) {
	l.made++
	p := &outrank.Pod{
		Name: fmt.Sprint("p", l.made), Labels: map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app")},
		Priority:   rapid.SampledFrom([]*int32{nil, outrank.Priority(0), outrank.Priority(5), outrank.Priority(-5)}).Draw(t, "priority"),
		Containers: []outrank.Container{{Requests: resource.List{resource.CPU: resource.New(amount(t, "cpu")), resource.Memory: resource.New(amount(t, "memory"))}}},
	}
	if age := rapid.IntRange(0, 3).Draw(t, "age"); age > 0 {
		p.StartTime = time.Unix(int64(1000-age), 0)
	}
	e := entry{pod: p}
	switch rapid.IntRange(0, 3).Draw(t, "where") {
	case 0, 1:
		p.NodeName = l.nodeName(t)
		e.node = p.NodeName
	case 2:
		p.NominatedNodeName = l.nodeName(t)
		e.nominated = p.NominatedNodeName
	}
	_, err := l.s.PutPod(p)
	require.NoError(t, err)
	l.pods[p.Name] = e
}

func (l *ledger) RemovePod(t *rapid.T) {
	if e, ok := l.anyPod(t, func(entry) bool { return true }); ok {
		require.NoError(t, l.s.RemovePod(e.pod.Key()))
		delete(l.pods, e.pod.Name)
	}
}

// Bind puts a pending pod on a node, which ends its nomination, or takes a running one off.
func (l *ledger) Bind(t *rapid.T) {
	e, ok := l.anyPod(t, func(entry) bool { return true })
	if !ok {
		return
	}
	node := ""
	if e.node == "" {
		if node = l.nodeName(t); !l.has(node) {
			require.Error(t, l.s.Bind(e.pod.Key(), node))
			return
		}
	}
	require.NoError(t, l.s.Bind(e.pod.Key(), node))
	e.node, e.nominated = node, ""
	l.pods[e.pod.Name] = e
}

func (l *ledger) Nominate(t *rapid.T) {
	e, ok := l.anyPod(t, func(e entry) bool { return e.node == "" })
	if !ok {
		return
	}
	node := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "nomination")
	if node != "" && !l.has(node) {
		require.Error(t, l.s.Nominate(e.pod.Key(), node))
		return
	}
	require.NoError(t, l.s.Nominate(e.pod.Key(), node))
	e.nominated = node
	l.pods[e.pod.Name] = e
}

func (l *ledger) has(node string) bool {
	return slices.ContainsFunc(l.nodes, func(n *outrank.Node) bool { return n.Name == node })
}

// PutNode puts a new node behind all others, or another version of a known node in its place.
func (l *ledger) PutNode(t *rapid.T) {
	n := &outrank.Node{Name: l.nodeName(t), Allocatable: resource.List{
		resource.CPU: resource.New(amount(t, "cpu")), resource.Memory: resource.New(amount(t, "memory")), resource.Pods: resource.New(amount(t, "places")),
	}}
	require.NoError(t, l.s.PutNode(n))
	l.nodes = slices.Clone(l.nodes)
	if at := slices.IndexFunc(l.nodes, func(m *outrank.Node) bool { return m.Name == n.Name }); at >= 0 {
		l.nodes[at] = n
	} else {
		l.nodes = append(l.nodes, n)
	}
}

func (l *ledger) RemoveNode(t *rapid.T) {
	name := l.nodeName(t)
	if !l.has(name) {
		require.Error(t, l.s.RemoveNode(name))
		return
	}
	require.NoError(t, l.s.RemoveNode(name))
	l.nodes = slices.DeleteFunc(slices.Clone(l.nodes), func(n *outrank.Node) bool { return n.Name == name })
}

func (l *ledger) Mark(*rapid.T) { l.marks = append(l.marks, l.now(l.s.Mark())) }

// Undo goes back to any mark, which uses up that mark and all later ones.
func (l *ledger) Undo(t *rapid.T) {
	if len(l.marks) == 0 {
		return
	}
	at := rapid.IntRange(0, len(l.marks)-1).Draw(t, "mark")
	m := l.marks[at]
	require.NoError(t, l.s.Undo(m.mark))
	for _, used := range l.marks[at:] {
		require.Error(t, l.s.Undo(used.mark), "it is used up")
	}
	l.marks, l.nodes, l.pods = l.marks[:at], m.nodes, maps.Clone(m.pods)
	if diff := testdiff.Diff(m.said, l.text(l.s)); diff != "" {
		t.Fatalf("Undo did not bring everything back (-marked +undone):\n%s", diff)
	}
}

// Clone goes on with the snapshot, which keeps its marks, or with its clone, which has none.
func (l *ledger) Clone(t *rapid.T) {
	other := l.s.Clone()
	if rapid.Bool().Draw(t, "with the clone") {
		l.s, other, l.marks = other, l.s, nil
	}
	m := l.now(state.Mark{})
	m.s = other
	l.clones = append(l.clones, m)
}

// Check compares the snapshot with the ledger, with one that is built from its cluster at once, and its
// clones with what they were.
func (l *ledger) Check(t *rapid.T) {
	if diff := testdiff.Diff(l.plainText(), l.readText()); diff != "" {
		t.Fatalf("the snapshot (-as listed +as it says):\n%s", diff)
	}
	if diff := testdiff.Diff(l.text(snapshotOf(t, l.s.Cluster())), l.text(l.s)); diff != "" {
		t.Fatalf("the snapshot (-built anew +changed in place):\n%s", diff)
	}
	for _, m := range l.clones {
		if diff := testdiff.Diff(m.said, l.text(m.s)); diff != "" {
			t.Fatalf("a clone followed the changes (-then +now):\n%s", diff)
		}
	}
}

// moreImportant orders pods by importance (group 4.3).
func moreImportant(a, b entry) int {
	start := func(p *outrank.Pod) int64 {
		if p.StartTime.IsZero() {
			return 1 << 40
		}
		return p.StartTime.Unix()
	}
	return cmp.Or(cmp.Compare(b.pod.PriorityValue(), a.pod.PriorityValue()), cmp.Compare(start(a.pod), start(b.pod)), cmp.Compare(a.pod.Name, b.pod.Name))
}

// plainText describes the cluster by the ledger: of each node in order the pods by importance, and sums.
func (l *ledger) plainText() string {
	var b strings.Builder
	for _, n := range l.nodes {
		var on, waiting []entry
		cpu := int64(0)
		for _, e := range l.pods {
			switch n.Name {
			case e.node:
				on = append(on, e)
				quantity := e.pod.Containers[0].Requests[resource.CPU]
				cpu += 1000 * quantity.Value()
			case e.nominated:
				waiting = append(waiting, e)
			}
		}
		slices.SortFunc(on, moreImportant)
		slices.SortFunc(waiting, moreImportant)
		fmt.Fprintf(&b, "node %s: %dm used, %d pods:%s; nominated:%s\n", n.Name, cpu, len(on), named(on), named(waiting))
	}
	for _, name := range slices.Sorted(maps.Keys(l.pods)) {
		e := l.pods[name]
		fmt.Fprintf(&b, "pod %s on %q, nominated to %q\n", name, e.node, e.nominated)
	}
	return b.String()
}

func named(list []entry) (out string) {
	for _, e := range list {
		out += " " + e.pod.Name
	}
	return out
}

// readText describes the cluster by the snapshot, in the form of plainText.
func (l *ledger) readText() string {
	var b strings.Builder
	list := func(pods []*outrank.Pod) (out string) {
		for _, p := range pods {
			out += " " + p.Name
		}
		return out
	}
	for n := range l.s.Nodes() {
		fmt.Fprintf(&b, "node %s: %dm used, %d pods:%s; nominated:%s\n", n.Name,
			l.s.Used(n.Name, resource.CPU), l.s.Used(n.Name, resource.Pods), list(l.s.PodsOn(n.Name)), list(l.s.NominatedTo(n.Name)))
	}
	var pods []*outrank.Pod
	for p := range l.s.Pods() {
		pods = append(pods, p)
	}
	slices.SortFunc(pods, func(p, q *outrank.Pod) int { return cmp.Compare(p.Name, q.Name) })
	for _, p := range pods {
		fmt.Fprintf(&b, "pod %s on %q, nominated to %q\n", p.Name, l.s.NodeOf(p.Key()), l.s.NominationOf(p.Key()))
	}
	return b.String()
}

// text describes each node by the indexes of a snapshot.
func (l *ledger) text(s *state.Snapshot) string {
	var b strings.Builder
	for _, slot := range s.Order {
		n := s.NodeStates[slot]
		sum := s.Summaries.At(slot)
		fmt.Fprintf(&b, "%s: %d places, offers %v, taken %v, summary %+v, best %v, levels %v\n", n.Name, n.MaxPods, n.Offers.Std, n.Taken.Std, *sum, *s.Summaries.TopSumsAt(slot), n.Levels)
		for i, p := range n.Pods {
			fmt.Fprintf(&b, "  %s takes %v, %v\n", p.Pod.Name, n.Rows[i], n.SortKeys[i])
		}
	}
	return b.String()
}

// After any changes a snapshot agrees with a plain list of them, and its indexes with those of a snapshot
// that is built anew. Undo brings everything back, and no change reaches a clone.
func TestPropertySnapshotIsALedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &ledger{s: snapshotOf(t, &outrank.Cluster{}), pods: map[string]entry{}}
		l.PutNode(t)
		t.Repeat(rapid.StateMachineActions(l))
	})
}

// A summary has the sums that plain lines get from the pods of a node.
func TestPropertySummaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.List{
			resource.CPU: resource.New(amount(t, "cpu")), resource.Memory: resource.New(amount(t, "memory")), resource.Pods: resource.New(amount(t, "places")),
		}}}}
		free := map[resource.Name]int64{}
		for _, name := range []resource.Name{resource.CPU, resource.Memory, resource.Pods} {
			quantity := c.Nodes[0].Allocatable[name]
			free[name] = quantity.Value()
		}
		lowest, low, lowPods := int32(0), map[resource.Name]int64{}, 0
		for i := range rapid.IntRange(0, 6).Draw(t, "pods") {
			p := &outrank.Pod{Name: fmt.Sprint("p", i), NodeName: "n", Priority: outrank.Priority(rapid.Int32Range(-1, 1).Draw(t, "priority"))}
			cpu, memory := amount(t, "cpu"), amount(t, "memory")
			p.Containers = []outrank.Container{{Requests: resource.List{resource.CPU: resource.New(cpu), resource.Memory: resource.New(memory)}}}
			c.Pods = append(c.Pods, p)
			free[resource.CPU], free[resource.Memory], free[resource.Pods] = free[resource.CPU]-cpu, free[resource.Memory]-memory, free[resource.Pods]-1
			if lowPods == 0 || *p.Priority < lowest {
				lowest, lowPods = *p.Priority, 0
				clear(low)
			}
			if *p.Priority == lowest {
				low[resource.CPU], low[resource.Memory], lowPods = low[resource.CPU]+cpu, low[resource.Memory]+memory, lowPods+1
			}
		}
		s := snapshotOf(t, c)
		sum := s.Summaries.At(s.Order[0])
		cpu, memory := s.Columns.Of(resource.CPU), s.Columns.Of(resource.Memory)
		require.Equal(t, 1000*free[resource.CPU], sum.Free[cpu], "free cpu in millicores")
		require.Equal(t, free[resource.Memory], sum.Free[memory], "free memory")
		require.EqualValues(t, free[resource.Pods], sum.Room)
		require.EqualValues(t, lowPods, sum.LowPods)
		if lowPods > 0 {
			require.Equal(t, lowest, sum.Lowest)
		}
		require.Equal(t, 1000*low[resource.CPU], sum.Low[cpu], "cpu of the lowest priority")
		require.Equal(t, low[resource.Memory], sum.Low[memory], "memory of the lowest priority")
	})
}
