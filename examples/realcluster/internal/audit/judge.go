package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Judge reads an audit log as it grows. Between reports it remembers the budgets and the evicted pods.
type Judge struct {
	file, user, namespace string
	read                  int64 // position in the file, in bytes

	allowed map[string]map[string]allowance // by namespace and name of the budget
	evicted map[string]string               // the process that evicted a pod, by the pod's UID
	created map[string]time.Time            // pods of the namespace that were not bound yet
	report  Report
}

// allowance is how many disruptions a budget allows, as its controller last wrote it.
type allowance struct {
	selector labels.Selector
	more     int32
}

// Report has what the log says about the time since the last report.
type Report struct {
	// Bound counts the pods that were bound. Waited has, for pods that were created in the judged namespace,
	// the times from creation to binding.
	Bound  int
	Waited []time.Duration
	// Victims counts the pods that the user began to delete. AgainstBudget counts the ones among them that were
	// covered by a budget that allowed no disruption at that moment.
	Victims, AgainstBudget int
	// Twice names the pods that a process deleted more than once, and Both the pods that a process deleted
	// after another one had. A pod is listed once for each such deletion.
	Twice, Both []string
	// Writes counts requests by kind, whatever the response was. Requests about leases are left out.
	Writes Writes
	// Unread counts lines that could not be read. A server that is killed may leave such a line.
	Unread int
}

// Writes counts requests.
type Writes struct{ Bindings, StatusPatches, Deletes, Events, Others int }

// NewJudge returns a judge of what a user does to pods, and of the pods that are created in a namespace.
func NewJudge(file, user, namespace string) *Judge {
	return &Judge{
		file: file, user: user, namespace: namespace,
		allowed: map[string]map[string]allowance{}, evicted: map[string]string{}, created: map[string]time.Time{},
	}
}

// Report reads the new lines and returns the findings.
func (j *Judge) Report() (Report, error) {
	text, err := j.news()
	if err != nil {
		return Report{}, fmt.Errorf("audit log: %w", err)
	}
	j.report = Report{}
	for line := range bytes.Lines(text) {
		j.line(line)
	}
	return j.report, nil
}

// news returns the complete lines that were not read before.
func (j *Judge) news() ([]byte, error) {
	f, err := os.Open(j.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(j.read, io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	j.read += int64(len(text))
	return text, nil
}

func (j *Judge) line(line []byte) {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		j.report.Unread++
		return
	}
	if e.User.Username == j.user {
		j.count(&e)
	}
	if !e.succeeded() {
		return
	}
	switch resource := e.resource(); {
	case resource == budgets || resource == budgetsStatus:
		j.budget(&e)
	case resource == pods && e.Verb == "create" && e.ObjectRef.Namespace == j.namespace:
		j.created[e.key()] = e.StageTimestamp.Time
	case e.User.Username != j.user:
	case resource == bindings && e.Verb == "create":
		j.bound(&e)
	case resource == pods && e.Verb == "delete":
		j.deleted(&e)
	}
}

func (j *Judge) count(e *entry) {
	w := &j.report.Writes
	switch resource := e.resource(); {
	case resource == bindings:
		w.Bindings++
	case resource == podStatus && e.Verb == "patch":
		w.StatusPatches++
	case resource == pods && e.Verb == "delete":
		w.Deletes++
	case resource == events:
		w.Events++
	case resource != leases:
		w.Others++
	}
}

func (j *Judge) budget(e *entry) {
	in := j.allowed[e.ObjectRef.Namespace]
	if e.Verb == "delete" {
		delete(in, e.ObjectRef.Name)
		return
	}
	selector, err := metav1.LabelSelectorAsSelector(e.RequestObject.Spec.Selector)
	if err != nil {
		return // a budget with an invalid selector covers no pod
	}
	if in == nil {
		in = map[string]allowance{}
		j.allowed[e.ObjectRef.Namespace] = in
	}
	in[e.ObjectRef.Name] = allowance{selector: selector, more: e.RequestObject.Status.DisruptionsAllowed}
}

func (j *Judge) bound(e *entry) {
	j.report.Bound++
	if created, ok := j.created[e.key()]; ok {
		j.report.Waited = append(j.report.Waited, e.StageTimestamp.Sub(created))
		delete(j.created, e.key())
	}
}

// deleted counts a victim. It identifies the pod by its UID, because a later pod may have the same name.
func (j *Judge) deleted(e *entry) {
	about := e.ResponseObject
	uid := about.Metadata.UID + about.Details.UID // the response has one of the two
	switch by, again := j.evicted[uid]; {
	case again && by == e.UserAgent:
		j.report.Twice = append(j.report.Twice, e.key())
		return
	case again:
		j.report.Both = append(j.report.Both, e.key())
		return
	}
	j.evicted[uid] = e.UserAgent
	j.report.Victims++
	for _, b := range j.allowed[e.ObjectRef.Namespace] {
		if b.more <= 0 && b.selector.Matches(labels.Set(about.Metadata.Labels)) {
			j.report.AgainstBudget++
			break
		}
	}
}

// Add adds the numbers of a later report.
func (r *Report) Add(o *Report) {
	r.Bound += o.Bound
	r.Waited = append(r.Waited, o.Waited...)
	r.Victims += o.Victims
	r.AgainstBudget += o.AgainstBudget
	r.Twice = append(r.Twice, o.Twice...)
	r.Both = append(r.Both, o.Both...)
	r.Writes.Bindings += o.Writes.Bindings
	r.Writes.StatusPatches += o.Writes.StatusPatches
	r.Writes.Deletes += o.Writes.Deletes
	r.Writes.Events += o.Writes.Events
	r.Writes.Others += o.Writes.Others
	r.Unread += o.Unread
}
