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

// Event holds the words of a scheduler, or of a kubelet, about a pod that it pushed out.
type Event struct {
	// Time is when it was said last; zero where the event does not say.
	Time time.Time `json:"time,omitzero"`
	// Message is the event's own text.
	Message string `json:"message"`
	// Kind is pod, podgroup or compositepodgroup, or kubelet where a kubelet evicted it for a
	// critical pod, which it does not name. Preemptor names the one that the pod left
	// for, and UID tells it apart; both are empty where the event does not say.
	Kind      string      `json:"kind"`
	Preemptor outrank.Key `json:"preemptor,omitempty"`
	UID       string      `json:"uid,omitempty"`
	// Node is the preemptor's new node; for a group it is "cluster".
	Node string `json:"node,omitempty"`

	victim    outrank.Key
	victimUID string
}

// Events are those of preemptions, in the order in which they were read.
type Events struct {
	Preempted []Event
	// Read counts all events, whatever they are about, and Others the objects of other kinds.
	Read, Others int
}

// object is a reference of an event.
type object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// wire is an event of core/v1 or of events.k8s.io/v1.
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

// ReadEvents reads events of core/v1 and of events.k8s.io/v1, in lists or one behind the other,
// and passes over objects of other kinds. An error names the event and its field.
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

// aboutEvent is an error that names an event and its field.
func aboutEvent(o input.Object, err error) error {
	p := outrank.Problem{Object: "event " + string(outrank.NewKey(o.Namespace, o.Name)), Text: err.Error()}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		p.Field, p.Text = wrong.Field, "cannot be a JSON "+wrong.Value
	}
	return &outrank.InputError{Problems: []outrank.Problem{p}}
}

// said are the words of schedulers about a victim: newer ones name the preemptor by its UID,
// older ones by namespace and name, and some say "a pod" alone.
var wording = regexp.MustCompile(`^(?:Preempted )?by (?:(pod|podgroup|compositepodgroup|a) )?(\S+) on node (\S+)`)

// event is the event of a preemption; false for any other.
func (w *rawEvent) event() (Event, bool) {
	about := w.InvolvedObject
	if about.Name == "" {
		about = w.Regarding
	}
	if w.Reason != "Preempted" && w.Reason != "Preempting" || about.Name == "" || about.Kind != "" && about.Kind != "Pod" {
		return Event{}, false
	}
	e := Event{
		Kind: "pod", Message: w.Message + w.Note, victim: outrank.NewKey(about.Namespace, about.Name), victimUID: about.UID,
	}
	if e.Time = w.time(); w.Reason == "Preempting" {
		e.Kind = "kubelet"
		return e, true
	}
	if m := wording.FindStringSubmatch(e.Message); m != nil {
		e.Node = m[3]
		switch {
		case m[1] == "a":
		case strings.Contains(m[2], "/"):
			e.Preemptor = outrank.NewKey(outrank.Key(m[2]).Split())
		default:
			e.UID = m[2]
		}
		if strings.HasSuffix(m[1], "group") {
			e.Kind = m[1]
		}
	}
	if r := w.Related; r != nil && r.Name != "" {
		e.Preemptor = outrank.NewKey(r.Namespace, r.Name)
		if kind := strings.ToLower(r.Kind); strings.HasSuffix(kind, "podgroup") {
			e.Kind = kind
		}
		if r.UID != "" {
			e.UID = r.UID
		}
	}
	return e, true
}

// time is the latest of those that an event has.
func (w *rawEvent) time() (latest time.Time) {
	all := []*time.Time{w.EventTime, w.LastTimestamp, w.FirstTimestamp, w.DeprecatedLastTimestamp, w.DeprecatedFirstTimestamp}
	if w.Series != nil {
		all = append(all, w.Series.LastObservedTime)
	}
	if !slices.ContainsFunc(all, func(t *time.Time) bool { return t != nil && !t.IsZero() }) {
		all = append(all, w.Metadata.CreationTimestamp)
	}
	for _, t := range all {
		if t != nil && t.After(latest) && t.UTC().Year() <= 9999 { // no JSON can hold others
			latest = t.UTC()
		}
	}
	return latest
}

// of is the latest event about a pod, nil for none: one that names another UID is about a pod
// that had the name before or after.
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

// text is the event in a few words.
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

func (e *Event) kind() string {
	switch e.Kind {
	case "podgroup":
		return "group"
	case "compositepodgroup":
		return "tree of groups"
	}
	return "pod"
}
