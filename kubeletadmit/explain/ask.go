package explain

import (
	"errors"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Options say how much a report holds. The zero value is the default.
type Options struct {
	// Most is how many things a list holds before it is cut; 0 means 10.
	Most int
}

// Ask decides as [kubeletadmit.Admitter.Admit] does, and explains the answer. Errors are
// those of that call. Nothing of the caller's is changed, and any number of calls may run
// at once. Time is that of [Admission] besides the decision.
func Ask(a kubeletadmit.Admitter, node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod, options Options) (*Report, error) {
	adm, err := a.Admit(node, active, pod)
	if err != nil {
		return nil, err
	}
	return Admission(a, node, active, pod, adm, options), nil
}

// Admission explains an admission that the admitter has decided, for the same arguments.
// Time is linear in the active pods, for each of the rounds that the report holds. With
// options that go beyond the kubelet, the report says what the kubelet would do, at the
// price of that decision. A nil node or pod is explained as the zero one, and nil among the
// active or the evicted pods is passed over.
func Admission(a kubeletadmit.Admitter, node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod, adm kubeletadmit.Admission, options Options) *Report {
	if node == nil {
		node = &outrank.Node{}
	}
	if pod == nil {
		pod = &outrank.Pod{}
	}
	adm.Evictions = slices.DeleteFunc(slices.Clone(adm.Evictions), func(e kubeletadmit.EvictedPod) bool { return e.Pod == nil })
	x := &explainer{admitter: a, node: node, pod: pod, adm: &adm, most: options.Most}
	if x.most <= 0 {
		x.most = 10
	}
	for _, p := range active {
		if p != nil && !p.Finished() && !same(p, pod) {
			x.active = append(x.active, p)
		}
	}
	r := &Report{
		APIVersion: apiVersion, Kind: "AdmissionReport", Pod: ref(pod), Node: node.Name, Critical: kubeletadmit.Critical(pod),
		Outcome: adm.Outcome, Reason: adm.Reason, Message: adm.Message, Failures: []Failure{}, Tiers: []Tier{},
	}
	for i := range adm.Failures {
		r.Failures = append(r.Failures, x.failure(&adm.Failures[i]))
	}
	var short *kubeletadmit.NotEnoughError
	if errors.As(adm.Err, &short) {
		for _, n := range short.Missing {
			r.Missing = append(r.Missing, Amount{n.Resource, prose.Quantity(n.Resource, n.Amount)})
		}
	}
	if len(adm.Evictions) > 0 || short != nil {
		x.decide(r)
	}
	x.compare(r, active)
	return r
}

// compare tells by which options the answer was found, and what the kubelet would do.
func (x *explainer) compare(r *Report, active []*outrank.Pod) {
	switch a := x.admitter; {
	case a.PriorityFirst && a.Exact:
		r.Choice = bestSetByPriority
	case a.Exact:
		r.Choice = bestSet
	case a.PriorityFirst:
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
	faithful, err := x.admitter.Faithful().Resolve(x.pod, active, x.adm.Failures)
	if err != nil {
		return // an admission of another question
	}
	d := kubeletadmit.DifferenceOf(faithful, *x.adm)
	r.Kubelet = &Kubelet{Evicts: len(faithful.Evictions), Spares: len(d.Spared)}
	for _, p := range d.Spared[:min(len(d.Spared), x.most)] {
		r.Kubelet.Spared = append(r.Kubelet.Spared, ref(p))
	}
	for _, p := range d.Instead {
		r.Kubelet.Instead = append(r.Kubelet.Instead, ref(p))
	}
	r.Kubelet.Instead = cut(r.Kubelet.Instead, x.most, &r.Kubelet.MoreInstead)
}

// explainer has what a report is made from.
type explainer struct {
	admitter kubeletadmit.Admitter
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
	if f.IsShortage() {
		q := func(n int64) resource.Quantity { return prose.Quantity(f.Resource, n) }
		return Failure{Resource: f.Resource, Requested: q(f.Requested), Used: q(f.Used), Capacity: q(f.Capacity), Short: q(f.Shortage())}
	}
	out := Failure{Predicate: f.Predicate, Words: f.Text}
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
			out.Labels = append(out.Labels, Label{Key: key, Value: value, Have: have, Missing: !ok})
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
			out.Ports = append(out.Ports, Port{port.Port, port.Protocol, port.IP, &holder})
		}
	}
}

func (x *explainer) nameTaints(out *Failure) {
	tolerations := fit.NewTolerations(x.pod.Tolerations)
	for _, t := range x.node.Taints {
		if t.Effect != outrank.NoExecute || tolerations.Cover(t) {
			continue
		}
		taint := Taint{t, outrank.Toleration{Key: t.Key, Operator: outrank.TolerationEqual, Value: t.Value, Effect: t.Effect}}
		if t.Value == "" {
			taint.Toleration.Operator = outrank.TolerationExists
		}
		out.Taints = append(out.Taints, taint)
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
