package kubeletadmit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// A static pod needs half a core on a node that is full. The batch pod is
// BestEffort, but holds no cpu and stays; of the other two the one with less
// memory goes.
func ExampleAdmit() {
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "2", "memory", "4Gi", "pods", "110")}
	pod := func(name string, requests ...string) *outrank.Pod {
		return &outrank.Pod{Name: name, Priority: outrank.Priority(0),
			Containers: []outrank.Container{{Requests: resource.MustList(requests...)}}}
	}
	active := []*outrank.Pod{
		pod("cache", "cpu", "1", "memory", "2Gi"),
		pod("web", "cpu", "1", "memory", "1Gi"),
		pod("batch"),
	}
	proxy := pod("proxy", "cpu", "500m")
	proxy.Static = true

	adm, err := kubeletadmit.Admit(node, active, proxy, kubeletadmit.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(adm.Outcome, adm.OK())
	for _, f := range adm.Failures {
		fmt.Println("found:", f)
	}
	for _, e := range adm.Evictions {
		fmt.Println("evict:", e.Pod.Key(), e.Tier)
	}
	// Output:
	// AdmittedAfterEvicting true
	// found: Insufficient cpu
	// evict: default/web Burstable
}

// A search that may take long ends with its context, and says how good the best pods so far are.
func ExampleAdmitContext() {
	pod := func(name string, requests ...string) *outrank.Pod {
		return &outrank.Pod{Name: name, Containers: []outrank.Container{{Requests: resource.MustList(requests...)}}}
	}
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "7", "memory", "7Gi", "pods", "110")}
	active := []*outrank.Pod{pod("a", "cpu", "3", "memory", "3Gi"), pod("b", "cpu", "4"), pod("c", "memory", "4Gi")}
	proxy := pod("proxy", "cpu", "4", "memory", "4Gi")
	proxy.Static = true

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	adm, err := kubeletadmit.AdmitContext(ctx, node, active, proxy, kubeletadmit.Config{Exact: true, Limit: 1 << 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(adm)
	fmt.Println("optimal:", adm.Search.Optimal)

	again, err := kubeletadmit.Resolve(proxy, active, adm.Failures, kubeletadmit.Config{Exact: true})
	fmt.Println(again.Search.Steps == adm.Search.Steps, err)
	// Output:
	// AdmittedAfterEvicting: default/b (Burstable), default/c (Burstable)
	// optimal: true
	// true <nil>
}

// Another component has found out what is short. Nobody that may be preempted
// holds a GPU.
func ExampleResolve() {
	active := []*outrank.Pod{
		{Name: "train", Priority: outrank.Priority(2_000_001_000), Static: true,
			Containers: []outrank.Container{{Requests: resource.MustList("example.com/gpu", "1")}}},
		{Name: "web", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}},
	}
	monitor := &outrank.Pod{Name: "monitor", Priority: outrank.Priority(2_000_000_000)}

	adm, err := kubeletadmit.Resolve(monitor, active, []kubeletadmit.CheckFailure{
		{Resource: "example.com/gpu", Requested: 1, Used: 1, Capacity: 1},
	}, kubeletadmit.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(adm.Outcome, adm.Reason)
	fmt.Println("missing:", adm.Missing)
	fmt.Println(adm.ReferenceMessage())
	// Output:
	// Rejected UnexpectedAdmissionError
	// missing: [1 example.com/gpu]
	// Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: example.com/gpu, q: 1), ]
}

// Everything that is wrong is reported, amounts before all else.
func ExampleCheck() {
	node := &outrank.Node{
		Name:        "n1",
		Allocatable: resource.MustList("cpu", "1", "memory", "1Gi", "pods", "110"),
		Taints:      []outrank.Taint{{Key: "out-of-service", Effect: outrank.NoExecute}},
	}
	pod := &outrank.Pod{Name: "web", Containers: []outrank.Container{{Requests: resource.MustList("memory", "2Gi", "cpu", "1500m")}}}

	failures, err := kubeletadmit.Check(node, nil, pod, kubeletadmit.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range failures {
		fmt.Println(f.Reason(), "-", f)
	}
	// Output:
	// OutOfcpu - Insufficient cpu
	// OutOfmemory - Insufficient memory
	// TaintToleration - node(s) had taints that the pod didn't tolerate
}

func ExampleCritical() {
	fmt.Println(kubeletadmit.Critical(&outrank.Pod{Name: "dns", Priority: outrank.Priority(2_000_000_000)}))
	fmt.Println(kubeletadmit.Critical(&outrank.Pod{Name: "etcd", Static: true}))
	fmt.Println(kubeletadmit.Critical(&outrank.Pod{Name: "web", Priority: outrank.Priority(1_000_000_000)}))
	// Output:
	// true
	// true
	// false
}

// Being critical beats every priority of a pod that is not.
func ExamplePreemptable() {
	etcd := &outrank.Pod{Name: "etcd", Static: true}
	web := &outrank.Pod{Name: "web", Priority: outrank.Priority(1000)}
	batch := &outrank.Pod{Name: "batch", Priority: outrank.Priority(-10)}
	unset := &outrank.Pod{Name: "unset"}
	fmt.Println(kubeletadmit.Preemptable(etcd, web))
	fmt.Println(kubeletadmit.Preemptable(web, batch))
	fmt.Println(kubeletadmit.Preemptable(web, unset))
	// Output:
	// true
	// true
	// false
}

// printer is a kubelet that only says what it would do.
type printer struct{}

func (printer) Record(e outrank.Event) {
	fmt.Println(e.Pod.Name, "event:", e.Type, e.Reason)
}

func (printer) Kill(_ context.Context, pod *outrank.Pod, s kubeletadmit.PodStatus) error {
	fmt.Println(pod.Name, "status:", s.Phase, s.Reason, s.Condition.Type, s.Condition.Reason)
	return nil
}

func ExampleEvict() {
	web := &outrank.Pod{Name: "web", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	etcd := &outrank.Pod{Name: "etcd", Static: true}
	adm, err := kubeletadmit.Resolve(etcd, []*outrank.Pod{web}, []kubeletadmit.CheckFailure{{Resource: "cpu", Requested: 100}}, kubeletadmit.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	kills, err := kubeletadmit.Evict(context.Background(), adm, printer{})
	fmt.Println(len(kills), "killed,", "error", err)
	// Output:
	// web event: Warning Preempting
	// web status: Failed Preempting DisruptionTarget TerminationByKubelet
	// 1 killed, error <nil>
}

// The node runs short of memory. What a pod uses above its request matters
// more than its priority.
func ExampleRankForEviction() {
	pod := func(name string, priority int32, memory string) *outrank.Pod {
		return &outrank.Pod{Name: name, Priority: outrank.Priority(priority),
			Containers: []outrank.Container{{Requests: resource.MustList("memory", memory)}}}
	}
	pods := []*outrank.Pod{pod("batch", 0, "2Gi"), pod("web", 1000, "1Gi"), pod("new", 1000, "1Gi")}
	usage := map[string]int64{"batch": 1 << 30, "web": 3 << 29}

	ranked, err := kubeletadmit.RankForEviction(pods, kubeletadmit.MemoryPressure, func(p *outrank.Pod) (kubeletadmit.Usage, bool) {
		memory, ok := usage[p.Name]
		return kubeletadmit.Usage{Memory: memory}, ok
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range ranked {
		fmt.Println(r.Pod.Name, r.Measured, r.Above())
	}
	// Output:
	// new false 0
	// web true 512Mi
	// batch true -1Gi
}
