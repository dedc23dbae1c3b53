package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// Entry is all that this module knows of a filter beside its two checks, those of the book and of
// the engine, which are written apart so that each can be wrong alone.
type Entry struct {
	// Name is the one that the reference has.
	Name string
	// Reads says what the filter looks at.
	Reads Reads

	// Fails has the ways in which the filter can fail.
	Fails Failures
	// Gains reports whether the filter, where it passes, goes on passing whichever pods leave the
	// node or, with far, other nodes as well (rule 13.4.4). Nil means that this is not known.
	Gains func(pod *outrank.Pod, far bool) bool
	// Conclusive says of which failures a node that fails so with some pods away fails with more
	// pods on it, too: of those, pods only take room.
	Conclusive Failures
	// Signature writes everything that the filter reads of a pod that looks for a place. A node
	// answers pods with equal signatures equally. It is nil for a filter that counts other pods:
	// its check in the engine writes what it reads of the pod with what it counts, or else the engine
	// remembers no answer to a pod that the filter has something to say about.
	Signature func(w Writer, pod *outrank.Pod)

	// Names says what an explanation means by the names that it gives of a failure, if it gives any.
	Names NamesOf
	// Helped are the events that may help a pod which the filter kept off a node, because they
	// change what the filter looks at. LooksAt returns what the filter looks at in the pod itself:
	// a change of anything else cannot help the pod.
	Helped  []string
	LooksAt func(p *outrank.Pod) []any

	// Draw makes random cases that matter to the filter.
	Draw Draw
}

// Reads says which objects can have a part in what the filter answers, so that it need not be asked
// about others.
type Reads struct {
	// Pod reports whether the filter can turn a pod away because of what the pod asks for. If it is
	// nil, a filter of nodes looks only at what the node asks for, and a filter that counts pods may
	// concern any pod.
	Pod func(pod *outrank.Pod) bool
	// Node reports whether the filter can turn away from the node a pod that asks for nothing in
	// particular. If it is nil, no node does that.
	Node func(node *outrank.Node) bool
	// Running reports whether a pod on a node can have a part in what the filter says to another
	// pod. If it is nil, the filter looks at no other pods, or finds them itself.
	Running func(pod *outrank.Pod) bool
}

// NamesOf is what names of things in the way are called.
type NamesOf struct {
	// Member is the member of documents that has the names.
	Member string
	// Text is a sentence about the list of the names, or with Each about every one of them.
	Text string
	Each bool
}

// Failures are ways in which a filter fails: a set.
type Failures int

// The failures: those that preemption may mend, those that it cannot, and both.
const (
	CurableFailure Failures = 1 << iota
	IncurableFailure
	AnyFailure = CurableFailure | IncurableFailure
)

// Has reports whether a set of failures has all of others.
func (f Failures) Has(others Failures) bool { return f&others == others }

// Writer takes the parts of a signature. Different lists of parts make different signatures.
type Writer interface {
	Number(n int)
	Flag(v bool)
	Text(text string)
	Texts(texts []string)
	Labels(labels map[string]string)
	NodeSelector(selector *outrank.NodeSelector)
}

// always is said of a filter of which pods only take room.
func always(*outrank.Pod, bool) bool { return true }

// Draw makes what a filter looks at. A function that is nil draws nothing.
type Draw struct {
	// Topic is the field of shapes of clusters that brings what is drawn.
	Topic Topic
	// Running adds to a pod that runs, or is nominated, what the filter counts of other pods.
	Running func(s draw.Source, p *outrank.Pod)
	// Asking adds to a pod that looks for a place what the filter reads of it. The names of nodes
	// are those of the shape.
	Asking func(s draw.Source, nodes draw.Nodes, p *outrank.Pod)
	// Node adds to a node what the filter reads of it. The labels of draw.Topology are there
	// already.
	Node func(s draw.Source, n *outrank.Node)
	// Room is set where many nodes need room for the pod that asks, because resources would decide
	// before the filter does.
	Room bool
}

// Topic is a subject that shapes of clusters have a field for. Filters that read the same parts
// of pods share one.
type Topic string

// The topics. Rest is that of entries that name none.
const (
	Rest      Topic = ""
	Taints    Topic = "Taints"
	Selectors Topic = "Selectors"
	Ports     Topic = "Ports"
	Affinity  Topic = "Affinity"
	Spread    Topic = "Spread"
	Volumes   Topic = "Volumes"
	Features  Topic = "Features"
)

// Topics are those that a shape has.
type Topics map[Topic]bool

// Drawn returns the entries whose draws belong to these topics.
func (topics Topics) Drawn() []*Entry {
	return slices.DeleteFunc(Entries(), func(e *Entry) bool { return !topics[e.Draw.Topic] })
}

// alike draws the same for a pod that asks as for one that runs.
func alike(running func(draw.Source, *outrank.Pod)) func(draw.Source, draw.Nodes, *outrank.Pod) {
	return func(s draw.Source, _ draw.Nodes, p *outrank.Pod) { running(s, p) }
}
