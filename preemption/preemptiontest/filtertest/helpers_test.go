package filtertest_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// gpuSharing lets several pods share a GPU: a pod asks for a share in percent of
// one GPU, and a pod on a node names its GPU.
type gpuSharing struct{ devices int }

// Labels that gpuSharing looks at.
const (
	shareLabel  = "gpu-share"
	deviceLabel = "gpu-device"
)

func share(p *outrank.Pod) int {
	n, _ := strconv.Atoi(p.Labels[shareLabel])
	return n
}

func (f gpuSharing) filter() *preemption.Filter {
	return &preemption.Filter{Name: "GPUSharing", Start: f.start}
}

func (f gpuSharing) start(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	if share(pod) == 0 {
		return nil, nil
	}
	s := &gpuState{want: share(pod), devices: f.devices, used: map[device]int{}}
	for n := range view.Nodes() {
		for _, p := range view.PodsOn(n.Name) {
			s.Add(p, n)
		}
	}
	return s, nil
}

type device struct {
	node   string
	number int
}

type gpuState struct {
	want, devices int
	used          map[device]int
}

func (s *gpuState) Check(n *outrank.Node) preemption.Status {
	if n.Labels["gpus"] == "" {
		return preemption.UnschedulableAndUnresolvable.Because("node(s) had no GPU")
	}
	for number := range s.devices {
		if s.used[device{n.Name, number}]+s.want <= 100 {
			return preemption.Status{}
		}
	}
	return preemption.Unschedulable.Because("no GPU with a large enough share left")
}

// change counts a pod on its GPU, or on every one where it has none yet.
func (s *gpuState) change(p *outrank.Pod, n *outrank.Node, by int) {
	for number := range s.devices {
		if at := p.Labels[deviceLabel]; at == "" || at == fmt.Sprint(number) {
			s.used[device{n.Name, number}] += by * share(p)
		}
	}
}

func (s *gpuState) Add(p *outrank.Pod, n *outrank.Node)    { s.change(p, n, 1) }
func (s *gpuState) Remove(p *outrank.Pod, n *outrank.Node) { s.change(p, n, -1) }
func (s *gpuState) Clone() preemption.FilterState {
	c := *s
	c.used = maps.Clone(s.used)
	return &c
}

// withGPUs gives most nodes GPUs and most pods a share of one.
func withGPUs(c *outrank.Cluster, pod *outrank.Pod) {
	for i, n := range c.Nodes {
		if i%4 != 3 {
			n.Labels["gpus"] = "2"
		}
	}
	for i, p := range c.Pods {
		p.Labels[shareLabel] = strconv.Itoa(20 + 10*(i%5))
		if p.NodeName != "" {
			p.Labels[deviceLabel] = strconv.Itoa(i % 2)
		}
	}
	pod.Labels[shareLabel] = "70"
}

// quota limits the number of pods on a node. The bad filters below are made of
// it: each of the functions, if not nil, replaces the right one.
type quota struct {
	limit  int
	start  func(s *quotaState, pod *outrank.Pod, view preemption.View) (preemption.FilterState, error)
	check  func(s *quotaState, n *outrank.Node) preemption.Status
	add    func(s *quotaState, p *outrank.Pod, n *outrank.Node)
	remove func(s *quotaState, p *outrank.Pod, n *outrank.Node)
	clone  func(s *quotaState) preemption.FilterState
}

func (q quota) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Quota", Start: func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		s := &quotaState{quota: q, pod: pod, count: map[string]int{}}
		for n := range view.Nodes() {
			s.count[n.Name] = len(view.PodsOn(n.Name))
		}
		if q.start != nil {
			return q.start(s, pod, view)
		}
		return s, nil
	}}
}

type quotaState struct {
	quota
	pod   *outrank.Pod
	count map[string]int
	// memo is for the bad ones.
	memo    map[string]preemption.Status
	last    string
	reasons []string
	calls   int
}

func (s *quotaState) Check(n *outrank.Node) preemption.Status {
	if s.quota.check != nil {
		return s.quota.check(s, n)
	}
	return s.right(n)
}

func (s *quotaState) right(n *outrank.Node) preemption.Status {
	if s.count[n.Name] >= s.limit {
		return preemption.Unschedulable.Because("quota")
	}
	return preemption.Status{}
}

func (s *quotaState) Add(p *outrank.Pod, n *outrank.Node) {
	if s.quota.add != nil {
		s.quota.add(s, p, n)
		return
	}
	s.count[n.Name]++
}

func (s *quotaState) Remove(p *outrank.Pod, n *outrank.Node) {
	if s.quota.remove != nil {
		s.quota.remove(s, p, n)
		return
	}
	s.count[n.Name]--
}

func (s *quotaState) Clone() preemption.FilterState {
	if s.quota.clone != nil {
		return s.quota.clone(s)
	}
	return s.copy()
}

func (s *quotaState) copy() *quotaState {
	c := *s
	c.count, c.memo, c.reasons = maps.Clone(s.count), maps.Clone(s.memo), slices.Clone(s.reasons)
	return &c
}
