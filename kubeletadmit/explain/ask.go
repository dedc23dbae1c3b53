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
	// Most is how many things a list of a report holds before it is cut; 0 means 10.
	Most int
}

// Ask decides as [kubeletadmit.AdmitContext] does, and explains the answer. Errors are
// those of that call. Nothing of the caller's is changed, and any number of calls may run
// at once. Time is that of [Admission] besides the decision.
func Ask(ctx context.Context, q Question) (*Report, error) {
	adm, err := kubeletadmit.AdmitContext(ctx, q.Node, q.Active, q.Pod, q.Config)
	if err != nil {
		return nil, err
	}
	return Admission(q, adm), nil
}

// Admission explains the answer to a question that [kubeletadmit.Admit] has given. Time is linear
// in the active pods, for each of the rounds that the report holds. With settings that go beyond
// the kubelet, the report says what the kubelet would do, at the price of that decision. A nil
// node or pod is explained as the zero one, and nil among the active or the evicted pods is passed
// over.
func Admission(q Question, adm kubeletadmit.Admission) *Report {
	node, pod := q.Node, q.Pod
	if node == nil {
		node = &outrank.Node{}
	}
	if pod == nil {
		pod = &outrank.Pod{}
	}
	adm.Evictions = slices.DeleteFunc(slices.Clone(adm.Evictions), func(e kubeletadmit.EvictedPod) bool { return e.Pod == nil })
	x := &explainer{question: q, node: node, pod: pod, adm: &adm, most: q.Most}
	if x.most <= 0 {
		x.most = 10
	}
	for _, p := range q.Active {
		if p != nil && !p.Finished() && !same(p, pod) {
			x.active = append(x.active, p)
		}
	}
	r := &Report{
		Pod: ref(pod), Node: node.Name, Critical: kubeletadmit.Critical(pod),
		Outcome: adm.Outcome, Reason: adm.Reason, Message: adm.Message, Missing: slices.Clone(adm.Missing),
	}
	for i := range adm.Failures {
		r.Failures = append(r.Failures, x.failure(&adm.Failures[i]))
	}
	if len(adm.Evictions)+len(adm.Missing) > 0 {
		x.decide(r)
	}
	x.compare(r)
	return r
}

// compare tells by which options the answer was found, and what the kubelet would do.
func (x *explainer) compare(r *Report) {
	switch c := x.question.Config; {
	case c.PriorityFirst && c.Exact:
		r.Choice = bestSetByPriority
	case c.Exact:
		r.Choice = bestSet
	case c.PriorityFirst:
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
	faithful, err := kubeletadmit.Resolve(x.pod, x.question.Active, x.adm.Failures, ofKubelet(x.question.Config))
	if err != nil {
		return // an admission of another question
	}
	r.Kubelet = &Kubelet{
		Evicts: len(faithful.Evictions),
		Spared: x.refs(missingFrom(x.adm.Evictions, faithful.Evictions)), Instead: x.refs(missingFrom(faithful.Evictions, x.adm.Evictions)),
	}
}

// refs refers to the first of some pods.
func (x *explainer) refs(pods []*outrank.Pod) List[Pod] {
	out := make([]Pod, len(pods))
	for i, p := range pods {
		out[i] = ref(p)
	}
	return listOf(out, x.most)
}

// explainer has what a report is made from.
type explainer struct {
	question Question
	node     *outrank.Node
	pod      *outrank.Pod
	adm      *kubeletadmit.Admission
	active   []*outrank.Pod // those that count
	most     int
}

// same reports whether two values describe the same pod (rule 17.1.5).
func same(a, b *outrank.Pod) bool {
	return a == b || a.Name == b.Name && a.UID == b.UID && a.NamespaceName() == b.NamespaceName()
}

func ref(p *outrank.Pod) Pod {
	out := Pod{Key: p.Key()}
	if p.Priority != nil {
		priority := *p.Priority
		out.Priority = &priority
	}
	return out
}

// failure names what the check found.
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
	slices.SortFunc(out.Labels, func(a, b Label) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	out.Affinity = !fit.NodeAffinity(&outrank.Pod{Affinity: outrank.Affinity{NodeAffinity: x.pod.Affinity.NodeAffinity}}, x.node)
}

func (x *explainer) namePorts(out *Failure) {
	for _, port := range fit.HostPorts(x.pod) {
		i := slices.IndexFunc(x.active, func(p *outrank.Pod) bool { return slices.ContainsFunc(fit.HostPorts(p), port.Overlaps) })
		if i >= 0 {
			holder := ref(x.active[i])
			out.Ports = append(out.Ports, Port{outrank.Port{HostPort: port.Port, HostIP: port.IP, Protocol: port.Protocol}, &holder})
		}
	}
}

func (x *explainer) nameTaints(out *Failure) {
	tolerations := fit.NewTolerations(x.pod.Tolerations)
	for _, t := range x.node.Taints {
		if t.Effect != outrank.NoExecute || tolerations.Cover(t) {
			continue
		}
		out.Taints = append(out.Taints, t)
	}
}

// cut shortens a list and counts what it leaves out.
func cut[T any](list []T, most int, more *int) []T {
	if len(list) <= most {
		return list
	}
	*more += len(list) - most
	return slices.Clip(list[:most])
}
