package kueue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// Asked is the workload in question.
type Asked struct {
	// object is the name of the workload in messages.
	object string
	name   outrank.Key
	// local is the LocalQueue that the workload names. It is empty if it names none.
	local outrank.Key
	class string
	// priority is the workload's own priority. It is nil if a class determines it.
	priority    *int32
	labels      map[string]string
	annotations map[string]string
	// created is the time of creation. It is zero for a workload that is not in the dump.
	created  time.Time
	inactive bool
	// holds is set for a workload that has quota already.
	holds   bool
	sets    []askedSet
	caveats []Caveat
}

// askedSet is a number of equal pods.
type askedSet struct {
	name  string
	count int64
	pod   *outrank.Pod
}

// Pending returns the workload of a dump by its key. If it does not exist, the error names some waiting
// workloads.
func (c *Cluster) Pending(key outrank.Key) (*Asked, error) {
	var near []string
	for _, w := range c.workloads {
		if w.Metadata.key() == key {
			return w.asked()
		}
		if !w.holds() && w.condition("Finished") == nil {
			near = append(near, string(w.Metadata.key()))
		}
	}

	slices.Sort(near)
	text := fmt.Sprintf("there is no Workload %s in the dump", key)
	if len(near) > 0 {
		text += "; those that wait: " + strings.Join(near[:min(len(near), 5)], ", ")
	}
	return nil, fmt.Errorf("%s", text)
}

// FromManifest returns the workload of a manifest: a Workload, or the one that Kueue makes of a Job or a Pod.
// namespace is the namespace of objects that name none.
func FromManifest(o input.Object, namespace string) (*Asked, error) {
	if o.Kind == "Workload" && isKueue(&o) {
		w := &workload{}
		if err := decode(o, w); err != nil {
			return nil, err
		}
		if w.Metadata.Namespace == "" {
			w.Metadata.Namespace = namespace
		}
		return w.asked()
	}
	if !o.MakesPods() || o.Kind != "Job" && o.Kind != "Pod" {
		return nil, fmt.Errorf("%s: Kueue's answer is about a Workload, a Job or a Pod", nameOf(o))
	}
	return fromPods(o, namespace)
}

// fromPods returns the workload that Kueue makes of a Job or a Pod: a single pod set, with the queue and the
// class that labels name.
func fromPods(o input.Object, namespace string) (*Asked, error) {
	var x struct {
		Metadata metadata `json:"metadata"`
	}
	if err := decode(o, &x); err != nil {
		return nil, err
	}
	t, err := input.TemplateOf(o)
	if err != nil {
		return nil, err
	}

	m := &x.Metadata
	if m.Namespace == "" {
		m.Namespace = namespace
	}
	a := &Asked{object: nameOf(o), name: m.key(), class: m.Labels[classLabel], labels: m.Labels}
	if queue := m.Labels[queueLabel]; queue != "" {
		a.local = outrank.NewKey(m.Namespace, queue)
	}
	if err := a.add("main", int64(t.Replicas), t.Pod); err != nil {
		return nil, err
	}

	// Kueue's Configuration determines which labels are copied. Rules never match Kueue's own labels.
	if !onlyKueues(m.Labels) {
		a.caveats = append(a.caveats, Caveat{a.object, "labels count for rules of a PreemptionConfig as if Kueue copied them to the Workload (labelKeysToCopy)"})
	}
	return a, nil
}

// onlyKueues reports whether all labels are Kueue's own.
func onlyKueues(labels map[string]string) bool {
	for name := range labels {
		if !strings.HasPrefix(name, "kueue.x-k8s.io/") {
			return false
		}
	}
	return true
}

// asked returns the workload as the subject of a question.
func (w *workload) asked() (*Asked, error) {
	a := &Asked{
		object: "workload " + string(w.Metadata.key()), name: w.Metadata.key(), class: w.class(), priority: w.Spec.Priority, labels: w.Metadata.Labels,
		annotations: w.Metadata.Annotations, created: w.Metadata.Created, inactive: w.Spec.Active != nil && !*w.Spec.Active, holds: w.holds(),
	}
	if w.Spec.Queue != "" {
		a.local = outrank.NewKey(w.Metadata.Namespace, w.Spec.Queue)
	}
	for i := range w.Spec.PodSets {
		if err := a.addSet(w, &w.Spec.PodSets[i]); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// addSet adds a pod set of a workload. Its template is read as the manifest of a pod.
func (a *Asked) addSet(w *workload, s *podSet) error {
	pod, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": s.metadata(w), "spec": s.Template.Spec})
	if err != nil {
		return fmt.Errorf("%s: %w", a.object, err)
	}
	count := int64(1)
	if s.Count != nil {
		count = *s.Count
	}
	if err := a.add(s.Name, count, pod); err != nil {
		return err
	}

	if s.Topology != nil {
		a.topology(s.Name)
	}
	if s.MinCount != nil {
		a.caveats = append(a.caveats, Caveat{a.object, fmt.Sprintf("pod set %s would do with fewer pods (minCount), which is not tried", s.Name)})
	}
	return nil
}

// metadata returns the metadata of a pod of the set: the workload's name, and the template's labels and
// annotations.
func (s *podSet) metadata(w *workload) map[string]any {
	out := map[string]any{"name": w.Metadata.Name, "namespace": w.Metadata.Namespace}
	for _, part := range []string{"labels", "annotations"} {
		if v, ok := s.Template.Metadata[part]; ok {
			out[part] = v
		}
	}
	return out
}

// topology adds the caveat about a pod set that asks for a topology.
func (a *Asked) topology(set string) {
	a.caveats = append(a.caveats, Caveat{a.object, fmt.Sprintf("pod set %s asks for a topology, which is not looked at: Kueue may find quota and no place, and take others for it", set)})
}

// mostClaims is the most claims of a pod that a sentence names.
const mostClaims = 5

// add adds a pod set whose pod has the manifest text. It adds caveats about what is not looked at.
func (a *Asked) add(name string, count int64, text []byte) error {
	pod, warnings, err := kube.ReadManifest(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", a.object, err)
	}
	if count < 0 {
		return fmt.Errorf("%s: pod set %s: %d pods", a.object, name, count)
	}

	// The warnings are about fields that an API server fills in, which it has done for a workload of the dump.
	for _, w := range warnings {
		if !a.created.IsZero() {
			break
		}
		a.caveats = append(a.caveats, Caveat{a.object, w.String()})
	}

	var head struct {
		Metadata metadata `json:"metadata"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("%s: %w", a.object, err)
	}

	for _, annotation := range topologyAnnotations {
		if _, ok := head.Metadata.Annotations[annotation]; ok {
			a.topology(name)
			break
		}
	}

	if len(pod.ResourceClaims) > 0 {
		a.caveats = append(a.caveats, Caveat{a.object, fmt.Sprintf("the pods of pod set %s claim devices (%s), which are not looked at: Kueue may count them by their classes, and find no quota",
			name, strings.Join(pod.ResourceClaims[:min(len(pod.ResourceClaims), mostClaims)], ", "))})
	}
	a.sets = append(a.sets, askedSet{name, count, pod})
	return nil
}

// incoming returns the workload in question in the form of package tenancy, without its amounts and its queue.
func (m *model) incoming(a *Asked, now time.Time) (tenancy.Workload, error) {
	w := tenancy.Workload{
		Name: string(a.name), LocalQueue: string(a.local), Class: a.class, Labels: a.labels, Queued: a.created,
		Boost: m.boost(a.object, a.annotations),
	}

	// A workload that is being submitted is the newest.
	if w.Queued.IsZero() {
		w.Queued = now
	}
	m.caveats = append(m.caveats, a.caveats...)

	// The workload's own priority takes precedence over that of its class, and that over the one of its pods.
	if a.priority != nil {
		w.Priority = *a.priority
		return w, nil
	}

	if a.class != "" {
		value, ok := m.classes[a.class]
		if !ok {
			return w, fmt.Errorf("%s: there is no WorkloadPriorityClass %s in the dump", a.object, a.class)
		}
		w.Priority = value
		return w, nil
	}

	class, err := m.classOfPods(a)
	if class != nil {
		w.Priority, w.Class = class.Value, class.Metadata.Name
	}
	return w, err
}

// classOfPods returns the priority class of a workload's pods: the one of the first pod set that names a class,
// or else the default class. It is nil without either. Of several default classes the lowest value counts.
func (m *model) classOfPods(a *Asked) (*podClass, error) {
	for _, s := range a.sets {
		if s.pod.PriorityClassName == "" {
			continue
		}
		class, ok := m.podClasses[s.pod.PriorityClassName]
		if !ok {
			return nil, fmt.Errorf("%s: there is no PriorityClass %s in the dump", a.object, s.pod.PriorityClassName)
		}
		return class, nil
	}

	var lowest *podClass
	for _, c := range m.podClasses {
		if c.Default && (lowest == nil || c.Value < lowest.Value) {
			lowest = c
		}
	}
	return lowest, nil
}

// requests returns the sum of the requests of all pods of the set.
func (s *askedSet) requests() resource.List {
	out := resource.List{}
	for name, q := range s.pod.Requests() {
		out[name] = quantityOf(name, times(resource.Amount(name, q), s.count))
	}
	return out
}

// times multiplies two numbers, and saturates at the largest one.
func times(a, b int64) int64 {
	if a > 0 && b > (1<<63-1)/a {
		return 1<<63 - 1
	}
	return a * b
}
