package documents

import (
	"fmt"
	"math/rand/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

const device resource.Name = "example.com/d"

// units are what amounts are drawn in.
var units = map[resource.Name]int64{resource.Pods: 1, resource.CPU: 100, resource.Memory: 1000, resource.EphemeralStorage: 10, device: 1}

// drawAdmission draws a pod that failed checks, and the pods on its node. In every other case the pod is critical,
// and many pods cover several shortages together.
func drawAdmission(number uint64) (p *outrank.Pod, active []*outrank.Pod, failures []kubeletadmit.CheckFailure) {
	r := rand.New(rand.NewPCG(*seed, number))
	many := number%2 == 0
	some := r.IntN(16)
	if many {
		some = 6 + r.IntN(20)
	}
	for i := range some {
		active = append(active, drawRunning(r, fmt.Sprint("p", i), many))
	}

	p = drawRunning(r, "zz", false)
	p.NodeName = ""
	if many || !in(r, 8) {
		p.Priority = outrank.Priority(one[int32](r, 2_000_000_000, 2_000_001_000))
	}
	return p, active, drawFailures(r, many)
}

// drawRunning draws a pod that runs, of any class. One of many may always leave.
func drawRunning(r *rand.Rand, name string, ofMany bool) *outrank.Pod {
	requests, limits := resource.List{}, resource.List{}
	for _, n := range []resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage, device} {
		if ofMany && n != resource.EphemeralStorage || in(r, 2) {
			requests[n] = quantity(n, r.Int64N(9)*units[n])
		}
	}
	switch r.IntN(3) {
	case 0:
		limits = requests
	case 1:
		for n, q := range requests {
			limits[n] = q.Add(q)
		}
	}

	p := &outrank.Pod{Name: name, UID: name, NodeName: "n", Containers: []outrank.Container{{Name: "c", Requests: requests, Limits: limits}}}
	switch {
	case ofMany:
		p.Priority = outrank.Priority(int32(r.IntN(3)))
	case !in(r, 3):
		p.Priority = outrank.Priority(one[int32](r, -5, 0, 5, 1000, 1_999_999_999, 2_000_000_000, 2_000_001_000, 2_147_483_647))
	}
	if !ofMany {
		p.Static, p.Mirror = in(r, 14), in(r, 14)
	}
	return p
}

// quantity is so much of a resource, in thousandths of a core for cpu.
func quantity(name resource.Name, amount int64) resource.Quantity {
	if name == resource.CPU {
		return resource.NewMilli(amount)
	}
	return resource.New(amount)
}

// drawFailures draws what the checks found: shortages, some of them of nothing or found twice, and at times a
// predicate.
func drawFailures(r *rand.Rand, many bool) (failures []kubeletadmit.CheckFailure) {
	for _, n := range []resource.Name{resource.Pods, resource.CPU, resource.Memory, resource.EphemeralStorage, device} {
		f := kubeletadmit.CheckFailure{Resource: n}
		switch {
		case many && (n == resource.Pods || n == resource.EphemeralStorage || in(r, 4)), !many && !in(r, 3):
			continue
		case many:
			f.Requested = (3 + r.Int64N(25)) * units[n]
		default:
			whole := r.Int64N(10)
			f.Requested, f.Capacity = r.Int64N(12)*units[n], whole*units[n]
			f.Used = max(0, whole+r.Int64N(6)-1) * units[n]
		}
		if failures = append(failures, f); in(r, 12) {
			failures = append(failures, f)
		}
	}
	if !many && in(r, 8) {
		failures = append(failures, kubeletadmit.CheckFailure{Predicate: "NodeAffinity", Text: "node(s) didn't match"})
	}
	r.Shuffle(len(failures), func(i, j int) { failures[i], failures[j] = failures[j], failures[i] })
	return failures
}
