package backward

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
)

// Event is what a scheduler or a kubelet said about a pod that it pushed out.
type Event struct {
	// Time is the last time at which the event occurred. It is zero if the event does not say.
	Time time.Time `json:"time,omitzero"`
	// Message is the event's own text.
	Message string `json:"message"`
	// Kind is the kind of the preemptor: pod, podgroup or compositepodgroup. It is kubelet if a kubelet evicted
	// the pod for a critical one, which a kubelet's event does not name. Preemptor and UID identify the
	// preemptor; each is empty if the event does not say it.
	Kind      string      `json:"kind"`
	Preemptor outrank.Key `json:"preemptor,omitempty"`
	UID       string      `json:"uid,omitempty"`
	// Node is the preemptor's new node. For a group it is "cluster".
	Node string `json:"node,omitempty"`

	// victim and victimUID identify the pod that was pushed out.
	victim    outrank.Key
	victimUID string
}

// Events holds the events of preemptions, in the order in which they were read.
type Events struct {
	Preempted []Event
	// Read counts all events, whatever they are about. Others counts the objects of other kinds.
	Read, Others int
}

// object is a reference from an event to an object.
type object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// rawEvent is an event of core/v1 or of events.k8s.io/v1 as it is written in JSON.
type rawEvent struct {
	Metadata struct {
		CreationTimestamp *time.Time `json:"creationTimestamp"`
	} `json:"metadata"`
	InvolvedObject object  `json:"involvedObject"`
	Regarding      object  `json:"regarding"`
	Related        *object `json:"related"`
	Reason         string  `json:"reason"`
	Message        string  `json:"message"`
	Note           string  `json:"note"`
	Series         *struct {
		LastObservedTime *time.Time `json:"lastObservedTime"`
	} `json:"series"`
	EventTime                *time.Time `json:"eventTime"`
	LastTimestamp            *time.Time `json:"lastTimestamp"`
	FirstTimestamp           *time.Time `json:"firstTimestamp"`
	DeprecatedLastTimestamp  *time.Time `json:"deprecatedLastTimestamp"`
	DeprecatedFirstTimestamp *time.Time `json:"deprecatedFirstTimestamp"`
}

// ReadEvents reads events of core/v1 and of events.k8s.io/v1, in lists or one after the other. It ignores
// objects of other kinds. An error names the event and its field.
func ReadEvents(r io.Reader) (*Events, error) {
	text, err := input.JSON(r)
	if err != nil {
		return nil, err
	}

	out := &Events{}
	err = input.Each(text, func(o input.Object) error {
		if o.Kind != "Event" || o.APIVersion != "v1" && !strings.HasPrefix(o.APIVersion, "events.k8s.io/") {
			out.Others++
			return nil
		}

		out.Read++
		var w rawEvent
		if err := json.Unmarshal(o.Raw, &w); err != nil {
			return aboutEvent(o, err)
		}
		if e, ok := w.event(); ok {
			out.Preempted = append(out.Preempted, e)
		}
		return nil
	})
	return out, err
}

// aboutEvent returns an error that names an event and its field.
func aboutEvent(o input.Object, err error) error {
	p := outrank.Problem{Object: "event " + string(outrank.NewKey(o.Namespace, o.Name)), Text: err.Error()}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		p.Field, p.Text = wrong.Field, "cannot be a JSON "+wrong.Value
	}
	return &outrank.InputError{Problems: []outrank.Problem{p}}
}

// wording matches what schedulers say about a victim. Newer schedulers name the preemptor by its UID, older
// ones by namespace and name, and some only say "a pod".
var wording = regexp.MustCompile(`^(?:Preempted )?by (?:(pod|podgroup|compositepodgroup|a) )?(\S+) on node (\S+)`)

// event returns the event if it is about a preemption. It is false for any other event.
func (w *rawEvent) event() (Event, bool) {
	// Events of core/v1 have an involvedObject; those of events.k8s.io/v1 have regarding in its place.
	about := w.InvolvedObject
	if about.Name == "" {
		about = w.Regarding
	}
	if w.Reason != "Preempted" && w.Reason != "Preempting" || about.Name == "" || about.Kind != "" && about.Kind != "Pod" {
		return Event{}, false
	}

	// An event of either API has one of the two texts. Kubelets use the reason "Preempting".
	e := Event{
		Kind: "pod", Message: w.Message + w.Note, Time: w.time(),
		victim: outrank.NewKey(about.Namespace, about.Name), victimUID: about.UID,
	}
	if w.Reason == "Preempting" {
		e.Kind = "kubelet"
		return e, true
	}

	// A reference to the preemptor is more precise than the text, and overrides it.
	e.readMessage()
	e.readRelated(w.Related)
	return e, true
}

// readMessage takes the preemptor and its node from the message.
func (e *Event) readMessage() {
	m := wording.FindStringSubmatch(e.Message)
	if m == nil {
		return
	}

	kind, name, node := m[1], m[2], m[3]
	e.Node = node
	switch {
	case kind == "a":
	case strings.Contains(name, "/"):
		e.Preemptor = outrank.NewKey(outrank.Key(name).Split())
	default:
		e.UID = name
	}
	if strings.HasSuffix(kind, "group") {
		e.Kind = kind
	}
}

// readRelated takes the preemptor from the event's reference to it, if there is one.
func (e *Event) readRelated(r *object) {
	if r == nil || r.Name == "" {
		return
	}

	e.Preemptor = outrank.NewKey(r.Namespace, r.Name)
	if kind := strings.ToLower(r.Kind); strings.HasSuffix(kind, "podgroup") {
		e.Kind = kind
	}
	if r.UID != "" {
		e.UID = r.UID
	}
}

// time returns the latest of the times of an event. It falls back to the time of creation if there is no other.
func (w *rawEvent) time() (latest time.Time) {
	all := []*time.Time{w.EventTime, w.LastTimestamp, w.FirstTimestamp, w.DeprecatedLastTimestamp, w.DeprecatedFirstTimestamp}
	if w.Series != nil {
		all = append(all, w.Series.LastObservedTime)
	}
	if !slices.ContainsFunc(all, func(t *time.Time) bool { return t != nil && !t.IsZero() }) {
		all = append(all, w.Metadata.CreationTimestamp)
	}

	// JSON cannot write years after 9999.
	for _, t := range all {
		if t != nil && t.After(latest) && t.UTC().Year() <= 9999 {
			latest = t.UTC()
		}
	}
	return latest
}

// latestAbout returns the latest event about a pod, or nil. An event with another UID is about an earlier or
// later pod of the same name.
func (e *Events) latestAbout(p *outrank.Pod) *Event {
	var found *Event
	for i := range e.Preempted {
		one := &e.Preempted[i]
		if one.victim != p.Key() || one.victimUID != "" && p.UID != "" && one.victimUID != p.UID {
			continue
		}
		if found == nil || !one.Time.Before(found.Time) {
			found = one
		}
	}
	return found
}

// named reports whether the event says who pushed the pod out.
func (e *Event) named() bool { return e.Kind == "kubelet" || e.Preemptor != "" || e.UID != "" }

// text says in a few words who pushed the pod out, where, and when.
func (e *Event) text() string {
	who := "the kubelet of its node, for a critical pod"
	switch {
	case e.Preemptor != "":
		who = e.kind() + " " + string(e.Preemptor)
	case e.UID != "":
		who = "the " + e.kind() + " with uid " + e.UID
	}
	if e.Node != "" && e.Node != "cluster" {
		who += " on node " + e.Node
	}
	if !e.Time.IsZero() {
		who += fmt.Sprintf(", at %s UTC", e.Time.Format("2006-01-02 15:04:05"))
	}
	return who
}

// kind says the kind of the preemptor in words.
func (e *Event) kind() string {
	switch e.Kind {
	case "podgroup":
		return "group"
	case "compositepodgroup":
		return "tree of groups"
	}
	return "pod"
}
