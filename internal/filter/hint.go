package filter

import (
	"maps"
	"reflect"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Hint reports whether a change may help a pod that the filter kept off a node. It follows the queueing hint of
// the reference's plugin, which each entry names by its rule. It is asked only where the change has the objects
// of its kind (see [Entry.Helps]).
type Hint func(w *Waiting, c *Change) bool

// Hints are the hints of a filter by the kind of event. An event of any other kind cannot help.
type Hints map[string]Hint

// Waiting is a pod that waits, with the release by whose rules it is placed.
type Waiting struct {
	Pod     *outrank.Pod
	Release outrank.Release
	Rules   *release.Rules
}

// Resizes reports whether the pod is on a node and waits there for room for its resize (rule 5.4.15).
func (w *Waiting) Resizes() bool {
	return w.Rules.DeferredResizes && w.Pod.NodeName != "" && w.Pod.ResizeDeferred
}

// Change is what an event says about the object that came, changed or went. A field is nil if the event does not
// say it.
type Change struct {
	// Node is the latest version of the node, and NodeBefore its version before an update.
	Node, NodeBefore *outrank.Node
	// Pod is the latest version of the pod, and PodBefore its version before an update.
	Pod, PodBefore *outrank.Pod
	// Storage tells more about a change of storage.
	Storage *Storage
}

// Helps reports whether an event of a kind may help a pod that the filter kept off a node. If the pod or an object
// that the event is about is not known, any event that the filter looks at may help (rule 5.4.4).
func (e *Entry) Helps(kind string, w *Waiting, c *Change) bool {
	hint := e.Helped[kind]
	switch {
	case hint == nil:
		return false
	case w.Pod == nil || !c.tells(kind):
		return true
	}
	return hint(w, c)
}

// tells reports whether the change has the objects that an event of the kind is about: the latest version and,
// for an update, the version before.
func (c *Change) tells(kind string) bool {
	switch kind {
	case EventNodeAdded, EventNodeDeleted:
		return c.Node != nil
	case EventNodeUpdated:
		return c.Node != nil && c.NodeBefore != nil
	case EventAssignedPodAdded, EventAssignedPodDeleted:
		return c.Pod != nil
	case EventAssignedPodUpdated, EventPodUpdated:
		return c.Pod != nil && c.PodBefore != nil
	case EventStorageChanged:
		return c.Storage != nil
	}
	return true
}

// anyway is the hint about events each of which may help.
func anyway(*Waiting, *Change) bool { return true }

// never is the hint about events none of which helps.
func never(*Waiting, *Change) bool { return false }

// comes returns the hint about a node that is added. It helps if it takes the pod, as far as one filter goes.
func comes(takes func(w *Waiting, n *outrank.Node) bool) Hint {
	return func(w *Waiting, c *Change) bool { return takes(w, c.Node) }
}

// becomes returns the hint about a node that is updated. It helps if it takes the pod now and did not before, as
// far as one filter goes.
func becomes(takes func(w *Waiting, n *outrank.Node) bool) Hint {
	return func(w *Waiting, c *Change) bool { return takes(w, c.Node) && !takes(w, c.NodeBefore) }
}

// itself returns the hint about an update of the waiting pod. It helps if it changes what the filter looks at in
// the pod (rule 5.4.9). parts returns that.
func itself(parts func(p *outrank.Pod) []any) Hint {
	return func(_ *Waiting, c *Change) bool { return !reflect.DeepEqual(parts(c.PodBefore), parts(c.Pod)) }
}

// relabelled is the hint about a node that is updated, of filters that look at its labels and are not told more
// (rule 5.4.29).
func relabelled(_ *Waiting, c *Change) bool { return !maps.Equal(c.NodeBefore.Labels, c.Node.Labels) }
