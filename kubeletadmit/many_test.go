package kubeletadmit_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/plainkubelet"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// manyPods are similar in many ways, and one in ten has a class of its own.
func manyPods(random *rand.Rand, n int) []*outrank.Pod {
	classes := []outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed}
	main := classes[random.IntN(len(classes))]
	kinds := 1 + random.Int64N(20)
	pods := make([]*outrank.Pod, n)
	for i := range pods {
		pods[i] = newPod(fmt.Sprint("p", i), nil, withClass(main), withPriority(random.Int32N(3)))
		pods[i].Containers[0].Requests = resource.List{
			resource.CPU:    resource.NewMilli(10 * random.Int64N(kinds)),
			resource.Memory: resource.NewBinary(random.Int64N(kinds) << 20),
			gpu:             resource.New(random.Int64N(2)),
		}
		if random.IntN(10) == 0 {
			pods[i].QOSClass = classes[random.IntN(len(classes))]
		}
	}
	return pods
}

// internal/tests/plainkubelet again, with hundreds of pods to evict one by one.
func TestManyEvictionsAgreeWithPlainKubelet(t *testing.T) {
	most := 0
	for seed := range uint64(seeded.Sample(4, 12)) {
		random := rand.New(rand.NewPCG(seed, 0))
		active := manyPods(random, 300)
		var failures []kubeletadmit.CheckFailure
		var shortages []plainkubelet.Shortage
		for _, name := range []resource.Name{resource.Memory, resource.CPU, resource.Pods, gpu}[:1+random.IntN(4)] {
			var held int64
			for _, p := range active {
				held += request(p, name)
			}
			f := lacks(name, held/2+random.Int64N(held/3+1))
			failures, shortages = append(failures, f), append(shortages, plainkubelet.Shortage{Resource: name, Amount: f.Requested})
		}
		pod := newCritical(nil)
		got, err := kubeletadmit.Resolve(pod, active, failures, kubeletadmit.Config{})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := plainkubelet.Evict(outrank.DefaultRelease, pod, active, shortages)
		if !slices.Equal(podsOf(got.Evictions), want) {
			t.Errorf("seed %d: evicted %v, want %v", seed, evicted(got), evicted(kubeletadmit.Admission{Evictions: evictionsOf(want)}))
		}
		most = max(most, len(want))
	}
	if most < 150 {
		t.Errorf("at most %d pods had to go, too few to show anything", most)
	}
}

// Calls may run at the same time: they share memory, but never at once.
func TestCallsMayRunAtOnce(t *testing.T) {
	node, active := fullNode(200)
	var calls sync.WaitGroup
	for _, pod := range []*outrank.Pod{few(), half(node), few(), half(node)} {
		want, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
		if err != nil {
			t.Fatal(err)
		}
		calls.Go(func() {
			for range 50 {
				if got, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{}); err != nil || !reflect.DeepEqual(want, got) {
					t.Errorf("Admit = %v, %v, want %v", evicted(got), err, evicted(want))
				}
			}
		})
	}
	calls.Wait()
}
