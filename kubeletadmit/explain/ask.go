package explain

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Question is what a kubelet is asked: may the pod start on the node beside the active pods, by
// the rules of a configuration?
type Question struct {
	Node   *outrank.Node
	Active []*outrank.Pod
	Pod    *outrank.Pod
	Config kubeletadmit.Config
	// Most is the length at which each list of a report is cut; 0 means 10.
	Most int
}

// Ask decides as [kubeletadmit.AdmitContext] does, and explains the answer. Errors are
// the ones of AdmitContext. Nothing of the caller's is changed, and any number of calls may
// run at once. Time is the time of the decision plus the time of [Admission].
func Ask(ctx context.Context, q Question) (*Report, error) {
	adm, err := kubeletadmit.AdmitContext(ctx, q.Node, q.Active, q.Pod, q.Config)
	if err != nil {
		return nil, err
	}
	return Admission(q, adm), nil
}

// Admission explains the answer that [kubeletadmit.Admit] has given to a question. Time is linear
// in the active pods for each round that the report holds. With settings that go beyond the
// kubelet, the report also says what the kubelet would do, which takes the time of that decision.
// A nil node or pod counts as the zero value, and nil pods in lists are passed over.
func Admission(q Question, adm kubeletadmit.Admission) *Report {
	x := newExplainer(q, &adm)
	pod, node := x.pod, x.node
	r := &Report{
		Pod: ref(pod), Node: node.Name, Critical: kubeletadmit.Critical(pod),
		Outcome: adm.Outcome, Reason: adm.Reason, Message: adm.Message, Missing: slices.Clone(adm.Missing),
	}
	for i := range adm.Failures {
		r.Failures = append(r.Failures, x.failure(&adm.Failures[i]))
	}

	// Tiers played a part only if pods are evicted, or if even all of them would not be enough.
	if len(adm.Evictions)+len(adm.Missing) > 0 {
		x.explainTiers(r)
	}
	x.compare(r)
	return r
}

// explainer has the question and the answer that a report is made from.
type explainer struct {
	config kubeletadmit.Config
	node   *outrank.Node
	pod    *outrank.Pod
	adm    *kubeletadmit.Admission
	// given are the active pods of the question. active leaves out of them finished pods and
	// the pod itself, which hold nothing.
	given, active []*outrank.Pod
	// most is the length at which each list is cut.
	most int
}

// newExplainer returns an explainer of the answer to a question. It removes evictions of nil
// pods from adm, in a new list.
func newExplainer(q Question, adm *kubeletadmit.Admission) *explainer {
	adm.Evictions = slices.DeleteFunc(slices.Clone(adm.Evictions), func(e kubeletadmit.EvictedPod) bool { return e.Pod == nil })
	x := &explainer{config: q.Config, node: q.Node, pod: q.Pod, adm: adm, given: q.Active, most: q.Most}
	if x.node == nil {
		x.node = &outrank.Node{}
	}
	if x.pod == nil {
		x.pod = &outrank.Pod{}
	}
	if x.most <= 0 {
		x.most = 10
	}

	for _, p := range q.Active {
		if p != nil && !p.Finished() && !same(p, x.pod) {
			x.active = append(x.active, p)
		}
	}
	return x
}

// compare says with which options the answer was found, and what the kubelet would do.
func (x *explainer) compare(r *Report) {
	switch config := x.config; {
	case config.PriorityFirst && config.Exact:
		r.Choice = bestSetByPriority
	case config.Exact:
		r.Choice = bestSet
	case config.PriorityFirst:
		r.Choice = priorityFirst
	}
	if r.Choice == "" || len(x.adm.Evictions) == 0 {
		return
	}

	if s := x.adm.Search; s != nil {
		search := *s
		search.Tiers = slices.Clone(s.Tiers[:min(len(s.Tiers), x.most)])
		r.Search = &search
	}

	// The failures are all shortages, or nobody would be evicted. So resolving the same
	// failures with the kubelet's own configuration gives the kubelet's evictions.
	faithful, err := kubeletadmit.Resolve(x.pod, x.given, x.adm.Failures, ofKubelet(x.config))
	if err != nil {
		return // the answer belongs to another question
	}
	r.Kubelet = &Kubelet{
		Evicts: len(faithful.Evictions),
		Spared: x.refs(missingFrom(x.adm.Evictions, faithful.Evictions)), Instead: x.refs(missingFrom(faithful.Evictions, x.adm.Evictions)),
	}
}

// refs returns references to the pods, as a list that is cut.
func (x *explainer) refs(pods []*outrank.Pod) List[Pod] {
	out := make([]Pod, len(pods))
	for i, p := range pods {
		out[i] = ref(p)
	}
	return listOf(out, x.most)
}

// same reports whether two values describe the same pod (rule 17.1.5).
func same(a, b *outrank.Pod) bool {
	return a == b || a.Name == b.Name && a.UID == b.UID && a.NamespaceName() == b.NamespaceName()
}

// ref returns a reference to a pod. It shares no memory with the pod.
func ref(p *outrank.Pod) Pod {
	out := Pod{Key: p.Key()}
	if p.Priority != nil {
		priority := *p.Priority
		out.Priority = &priority
	}
	return out
}

// failure explains one failure of the check. For a predicate it names the labels, ports or
// taints that made it fail. A shortage explains itself by its figures.
func (x *explainer) failure(f *kubeletadmit.CheckFailure) Failure {
	if f.Resource != "" {
		return Failure{Check: *f}
	}

	out := Failure{Check: kubeletadmit.CheckFailure{Predicate: f.Predicate, Text: f.Text}}
	switch f.Predicate {
	case kubeletadmit.NodeName:
		out.WantedNode = x.pod.NodeName
	case kubeletadmit.NodeAffinity:
		x.nameLabels(&out)
	case kubeletadmit.NodePorts:
		x.namePorts(&out)
	case kubeletadmit.TaintToleration:
		x.nameTaints(&out)
	}

	out.Labels = cut(out.Labels, x.most, &out.More)
	out.Ports = cut(out.Ports, x.most, &out.More)
	out.Taints = cut(out.Taints, x.most, &out.More)
	return out
}

// nameLabels names the labels of the pod's node selector that the node lacks or has with
// another value, and says whether the pod's node affinity fails as well.
func (x *explainer) nameLabels(out *Failure) {
	for key, value := range x.pod.NodeSelector {
		if have, ok := x.node.Labels[key]; !ok || have != value {
			l := Label{Key: key, Value: value}
			if ok {
				l.Have = &have
			}
			out.Labels = append(out.Labels, l)
		}
	}

	// The order is total, because no two labels have the same key.
	slices.SortFunc(out.Labels, func(a, b Label) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})

	// A pod with only the node affinity shows whether the affinity fails by itself.
	affinity := &x.pod.Affinity
	out.Affinity = !fit.NodeAffinity(&outrank.Pod{Affinity: outrank.Affinity{NodeAffinity: affinity.NodeAffinity}}, x.node)
}

// namePorts names the pod's host ports that are taken, each with the first pod that has it.
func (x *explainer) namePorts(out *Failure) {
	for _, port := range fit.HostPorts(x.pod) {
		i := slices.IndexFunc(x.active, func(p *outrank.Pod) bool { return slices.ContainsFunc(fit.HostPorts(p), port.Overlaps) })
		if i >= 0 {
			holder := ref(x.active[i])
			out.Ports = append(out.Ports, Port{outrank.Port{HostPort: port.Port, HostIP: port.IP, Protocol: port.Protocol}, &holder})
		}
	}
}

// nameTaints names the taints that keep the pod off the node: all taints with the effect
// NoExecute that it does not tolerate (rule 17.3.10).
func (x *explainer) nameTaints(out *Failure) {
	tolerations := fit.NewTolerations(x.pod.Tolerations)
	for _, t := range x.node.Taints {
		if t.Effect != outrank.NoExecute || tolerations.Cover(t) {
			continue
		}
		out.Taints = append(out.Taints, t)
	}
}

// cut shortens a list to at most most entries, and adds the number of entries cut to more.
func cut[T any](list []T, most int, more *int) []T {
	if len(list) <= most {
		return list
	}
	*more += len(list) - most
	return slices.Clip(list[:most])
}
