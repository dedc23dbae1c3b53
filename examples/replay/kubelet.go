package main

import (
	"context"
	"errors"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// Kubelet is the answer in mode kubelet.
type Kubelet struct {
	FailureReasons  []FailureReason `json:"failureReasons"`
	ReturnedReasons []FailureReason `json:"returnedReasons"`
	Error           string          `json:"error,omitempty"`
	Killed          []string        `json:"killed"`
	Kills           []Kill          `json:"kills,omitempty"`
	Admit           *Admit          `json:"admit,omitempty"`
	Pods            []PodFacts      `json:"pods"`
}

// FailureReason is one finding of admission.
type FailureReason struct {
	Type         string `json:"type"`
	Resource     string `json:"resource,omitempty"`
	Requested    int64  `json:"requested,omitempty"`
	Used         int64  `json:"used,omitempty"`
	Capacity     int64  `json:"capacity,omitempty"`
	Insufficient int64  `json:"insufficient,omitempty"`
	Name         string `json:"name,omitempty"`
	Reason       string `json:"reason"`
}

// Kill is one pod that is stopped, with the status that it gets.
type Kill struct {
	Pod     string `json:"pod"`
	Evicted bool   `json:"evicted"`
	Phase   string `json:"phase"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Failed  bool   `json:"failed,omitempty"`
}

// Admit is the final answer about the pod that asks to start.
type Admit struct {
	Admit   bool   `json:"admit"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// kubelet decides whether the node admits the preemptor, and evicts pods for it.
func (c *Case) kubelet() (*Kubelet, error) {
	if c.Preemptor == nil {
		return nil, errors.New("preemptor: missing")
	}
	adm, checked, err := c.admission()
	if err != nil {
		return nil, err
	}

	k := &Kubelet{
		FailureReasons: reasons(adm.Failures), ReturnedReasons: reasons(adm.Returned),
		Killed: []string{},
	}
	if len(adm.Missing) > 0 {
		k.Error = adm.Message
	}
	if err := k.evict(adm, c.Options.KillErrors); err != nil {
		return nil, err
	}

	// A case that has failures of its own was recorded without the check, and so without a final answer.
	if checked {
		k.Admit = &Admit{adm.OK(), adm.Reason, adm.Message}
	}
	k.Pods, err = c.facts(append(slices.Clip(c.Pods), c.Preemptor))
	return k, err
}

// admission decides. checked reports whether it has checked the node itself; otherwise the failures come from
// the case.
func (c *Case) admission() (adm kubeletadmit.Admission, checked bool, err error) {
	config := kubeletadmit.Config{Release: c.Release}
	if failures := c.givenFailures(); failures != nil {
		adm, err = kubeletadmit.Resolve(c.Preemptor, c.Pods, failures, config)
		return adm, false, err
	}

	if len(c.Nodes) != 1 {
		return adm, true, errors.New("nodes: one is wanted")
	}
	adm, err = kubeletadmit.Admit(c.Nodes[0], c.Pods, c.Preemptor, config)
	return adm, true, err
}

// givenFailures returns the failures that the case has, or nil if it has none.
func (c *Case) givenFailures() []kubeletadmit.CheckFailure {
	var out []kubeletadmit.CheckFailure
	for _, r := range c.Options.InsufficientResources {
		out = append(out, kubeletadmit.CheckFailure{
			Resource: resource.Name(r.Resource), Requested: r.Requested, Used: r.Used, Capacity: r.Capacity,
		})
	}
	for _, r := range c.Options.OtherReasons {
		out = append(out, kubeletadmit.CheckFailure{Predicate: kubeletadmit.Predicate(r.Name), Text: r.Desc})
	}
	return out
}

// reasons returns the failures in the form of a recording.
func reasons(failures []kubeletadmit.CheckFailure) []FailureReason {
	out := []FailureReason{}
	for _, f := range failures {
		if f.Resource != "" {
			out = append(out, FailureReason{
				Type: "insufficientResource", Resource: string(f.Resource),
				Requested: f.Requested, Used: f.Used, Capacity: f.Capacity,
				Insufficient: f.Shortage(), Reason: f.String(),
			})
		} else {
			out = append(out, FailureReason{Type: "predicate", Name: string(f.Predicate), Reason: f.String()})
		}
	}
	return out
}

// evict carries out the admission on a kubelet that only notes what it is told to do.
func (k *Kubelet) evict(adm kubeletadmit.Admission, killErrors []string) error {
	notes := &notebook{failing: killErrors}
	kills, err := kubeletadmit.Evict(context.Background(), adm, notes)
	if err != nil {
		return err
	}
	for _, kill := range kills {
		k.Killed = append(k.Killed, string(kill.Pod.Key()))
	}
	k.Kills = notes.kills
	return nil
}

// notebook is a kubelet that notes its calls. It fails to kill the pods in failing.
type notebook struct {
	failing []string
	kills   []Kill
}

// Record ignores events, which are not recorded.
func (n *notebook) Record(outrank.Event) {}

// Kill notes the kill of a pod. It fails if the case says so.
func (n *notebook) Kill(_ context.Context, pod *outrank.Pod, s kubeletadmit.PodStatus) error {
	kill := Kill{
		Pod: string(pod.Key()), Evicted: true,
		Phase: string(s.Phase), Reason: s.Reason, Message: s.Message,
		Failed: slices.Contains(n.failing, string(pod.Key())),
	}
	n.kills = append(n.kills, kill)
	if kill.Failed {
		return errors.New("the case lets this kill fail")
	}
	return nil
}

// PodFacts are the computed facts about a single pod; cpu is in millicores.
type PodFacts struct {
	Pod              string           `json:"pod"`
	Priority         int32            `json:"priority"`
	Critical         bool             `json:"critical"`
	Static           bool             `json:"static"`
	Mirror           bool             `json:"mirror"`
	QoS              outrank.QOSClass `json:"qos"`
	ComputedQoS      outrank.QOSClass `json:"computedQoS"`
	Preemptable      bool             `json:"preemptable"`
	Requests         map[string]int64 `json:"requests"`
	IncomingRequests map[string]int64 `json:"incomingRequests"`
	KubeletRequests  map[string]int64 `json:"kubeletRequests"`
}

var errNull = errors.New("pods: there is a null among them")

// facts computes the facts about each pod.
func (c *Case) facts(pods []*outrank.Pod) ([]PodFacts, error) {
	preemptor := c.Preemptor
	var out []PodFacts
	for _, p := range pods {
		if p == nil {
			return nil, errNull
		}
		out = append(out, PodFacts{
			Pod: string(p.Key()), Priority: p.PriorityValue(),
			Critical: kubeletadmit.Critical(p), Static: p.Static, Mirror: p.Mirror,
			QoS: qos.Of(c.Release, p), ComputedQoS: qos.Compute(c.Release, p),
			Preemptable:      preemptor != nil && p != preemptor && kubeletadmit.Preemptable(preemptor, p),
			Requests:         nodeAmounts(p.RunningRequests(c.Release)),
			IncomingRequests: nodeAmounts(p.Requests()),
			KubeletRequests:  kubeletAmounts(p),
		})
	}
	return out, nil
}

// nodeAmounts returns the amounts of the resources that nodes keep account of.
func nodeAmounts(l resource.List) map[string]int64 {
	out := map[string]int64{}
	for _, name := range l.Names() {
		if name.Counted() {
			out[string(name)] = l.Amount(name)
		}
	}
	return out
}

// kubeletAmounts returns the amount of every resource that the pod mentions in any request, counted as the
// kubelet's preemption counts it.
func kubeletAmounts(p *outrank.Pod) map[string]int64 {
	// A pod takes one slot. A recording has cpu, memory and ephemeral storage even if nothing requests them.
	total := p.KubeletRequests()
	out := map[string]int64{string(resource.Pods): 1}
	take := func(l resource.List) {
		for name := range l {
			out[string(name)] = total.Amount(name)
		}
	}
	for _, name := range []resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage} {
		out[string(name)] = total.Amount(name)
	}

	for i := range p.Containers {
		take(p.Containers[i].Requests)
	}
	for i := range p.InitContainers {
		take(p.InitContainers[i].Requests)
	}
	if p.Resources != nil {
		take(p.Resources.Requests)
	}
	return out
}
