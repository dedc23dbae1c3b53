package kubeletadmit_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/plainkubelet"
	"github.com/outrank-go/outrank/kubeletadmit"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of pods and nodes
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// resolve fails the test on an error.
func resolve(t *rapid.T, pod *outrank.Pod, active []*outrank.Pod, failures []kubeletadmit.CheckFailure) kubeletadmit.Admission {
	adm, err := kubeletadmit.Resolve(pod, active, failures, kubeletadmit.Config{})
	if err != nil {
		t.Fatalf("Resolve: %v", err)
	}
	return adm
}

// request is what evicting the pod frees.
func request(pod *outrank.Pod, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return pod.KubeletRequests().Amount(name)
}

// cover reports whether the pods hold enough for every shortage.
func cover(pods []*outrank.Pod, failures []kubeletadmit.CheckFailure) bool {
	for _, f := range failures {
		freed := new(big.Int)
		for _, p := range pods {
			freed.Add(freed, big.NewInt(request(p, f.Resource)))
		}
		if freed.Cmp(big.NewInt(f.Shortage())) < 0 {
			return false
		}
	}
	return true
}

func podsOf(evictions []kubeletadmit.EvictedPod) []*outrank.Pod {
	var pods []*outrank.Pod
	for _, e := range evictions {
		pods = append(pods, e.Pod)
	}
	return pods
}

// snapshot writes down everything in its arguments.
func snapshot(t *rapid.T, values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The choice is that of internal/tests/plainkubelet, and so are the amounts that stay
// missing where nothing helps.
func propAgreesWithPlainKubelet(t *rapid.T) {
	pod, active, failures := newCritical(nil), somePods(t, somePod, 12), someShortages(t)
	a := kubeletadmit.Config{Release: rapid.SampledFrom(outrank.Releases()).Draw(t, "release")}
	got, err := kubeletadmit.Resolve(pod, active, failures, a)
	if err != nil {
		t.Fatal(err)
	}
	var shortages []plainkubelet.Shortage
	for _, f := range failures {
		shortages = append(shortages, plainkubelet.Shortage{Resource: f.Resource, Amount: f.Shortage()})
	}
	evict, stay := plainkubelet.Evict(a.Release, pod, active, shortages)
	if !slices.Equal(podsOf(got.Evictions), evict) {
		t.Fatalf("evicted %v, want %v", evicted(got), evicted(kubeletadmit.Admission{Evictions: evictionsOf(evict)}))
	}
	var missing []plainkubelet.Shortage
	for _, n := range got.Missing {
		missing = append(missing, plainkubelet.Shortage{Resource: n.Resource, Amount: n.Amount})
	}
	if !slices.Equal(missing, stay) {
		t.Fatalf("missing %v, want %v", missing, stay)
	}
}

func evictionsOf(pods []*outrank.Pod) []kubeletadmit.EvictedPod {
	evictions := make([]kubeletadmit.EvictedPod, len(pods))
	for i, p := range pods {
		evictions[i].Pod = p
	}
	return evictions
}

func TestAgreesWithPlainKubelet(t *testing.T) { rapid.Check(t, propAgreesWithPlainKubelet) }

func FuzzAgreesWithPlainKubelet(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propAgreesWithPlainKubelet)) }

// Admit is Check and then Resolve, though it looks at each pod once, and what
// Check calls used is what the pods hold while they run.
func TestAdmitIsCheckThenResolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node, pod, active := someNode(t), somePreemptor(t), somePods(t, somePod, 10)
		a := kubeletadmit.Config{Release: rapid.SampledFrom(outrank.Releases()).Draw(t, "release")}
		failures, err := kubeletadmit.Check(node, active, pod, a)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range failures {
			used, running := resource.List{}, int64(0)
			for _, p := range active {
				if !p.Finished() {
					used, running = used.Plus(p.RunningRequests(a.Release)), running+1
				}
			}
			used[resource.Pods] = resource.New(running)
			if want := used.Amount(f.Resource); f.Used != want {
				t.Fatalf("%s: %d in use, want %d", f, f.Used, want)
			}
		}
		want, err := kubeletadmit.Resolve(pod, active, failures, a)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := kubeletadmit.Admit(node, active, pod, a); err != nil || !reflect.DeepEqual(want, got) {
			t.Fatalf("Admit = %+v, %v, want %+v", got, err, want)
		}
	})
}

// No pod is evicted that the pod may not preempt, no pod is evicted twice, and
// none at all for a pod that is not critical or that fails a predicate.
func TestOnlyThoseThatMayBePreempted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod, active, failures := somePreemptor(t), somePods(t, somePod, 10), someFailures(t)
		got := resolve(t, pod, active, failures)
		seen := map[*outrank.Pod]bool{}
		for _, e := range got.Evictions {
			if !kubeletadmit.Preemptable(pod, e.Pod) || e.Pod.Finished() || seen[e.Pod] {
				t.Fatalf("%s must not go, or goes twice", e.Pod.Name)
			}
			seen[e.Pod] = true
		}
		predicate := slices.ContainsFunc(failures, func(f kubeletadmit.CheckFailure) bool { return f.Resource == "" })
		if (predicate || !kubeletadmit.Critical(pod)) && (len(got.Evictions) > 0 || got.OK()) {
			t.Fatalf("outcome %s with %d evictions", got.Outcome, len(got.Evictions))
		}
	})
}

// The evicted pods cover every shortage, and the reasons agree: within a tier,
// what one pod leaves is what the next one needs, and the last leaves nothing.
func TestShortagesAreCovered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		active, failures := somePods(t, somePod, 10), someShortages(t)
		got := resolve(t, newCritical(nil), active, failures)
		if !got.OK() {
			return
		}
		if !cover(podsOf(got.Evictions), failures) {
			t.Fatalf("%v do not cover %v", evicted(got), failures)
		}
		for i, e := range got.Evictions {
			var left []kubeletadmit.ResourceNeed
			for _, s := range e.Contributions {
				if s.Needed > s.Frees {
					left = append(left, kubeletadmit.ResourceNeed{Resource: s.Resource, Amount: s.Needed - s.Frees})
				}
			}
			var next []kubeletadmit.ResourceNeed
			if i+1 < len(got.Evictions) && got.Evictions[i+1].Tier == e.Tier {
				for _, s := range got.Evictions[i+1].Contributions {
					next = append(next, kubeletadmit.ResourceNeed{Resource: s.Resource, Amount: s.Needed})
				}
			}
			if !slices.Equal(left, next) {
				t.Fatalf("%s leaves %v, the next pod of its tier needs %v", e.Pod.Name, left, next)
			}
		}
	})
}

// A class is touched only where the classes below it cannot cover the
// shortages, together with what was chosen above it.
func TestHigherTierOnlyIfNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod, active, failures := newCritical(nil), somePods(t, somePod, 10), someShortages(t)
		got := resolve(t, pod, active, failures)
		rank := map[outrank.QOSClass]int{outrank.BestEffort: 1, outrank.Burstable: 2, outrank.Guaranteed: 3}
		for i, e := range got.Evictions {
			if i > 0 && rank[got.Evictions[i-1].Tier] > rank[e.Tier] {
				t.Fatalf("%s goes after a %s pod", e.Tier, got.Evictions[i-1].Tier)
			}
			var rest []*outrank.Pod
			for _, p := range active {
				if kubeletadmit.Preemptable(pod, p) && !p.Finished() && 0 < rank[qos.Of(outrank.DefaultRelease, p)] && rank[qos.Of(outrank.DefaultRelease, p)] < rank[e.Tier] {
					rest = append(rest, p)
				}
			}
			for _, o := range got.Evictions {
				if rank[o.Tier] > rank[e.Tier] {
					rest = append(rest, o.Pod)
				}
			}
			if cover(rest, failures) {
				t.Fatalf("%s pod %s goes although %v suffice", e.Tier, e.Pod.Name, rest)
			}
		}
	})
}

// No argument changes, and the same call returns the same answer.
func TestInputsStayAndAnswersRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node, pod, active, failures := someNode(t), somePreemptor(t), somePods(t, somePod, 10), someFailures(t)
		order, before := slices.Clone(active), snapshot(t, node, pod, active, failures)
		first := resolve(t, pod, active, failures)
		admitted, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(order, active) || snapshot(t, node, pod, active, failures) != before {
			t.Fatal("the input was changed")
		}
		if second := resolve(t, pod, active, failures); !reflect.DeepEqual(first, second) {
			t.Fatalf("Resolve answers %+v, then %+v", first, second)
		}
		if again, _ := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{}); !reflect.DeepEqual(admitted, again) {
			t.Fatalf("Admit answers %+v, then %+v", admitted, again)
		}
		for i := range failures {
			failures[i] = kubeletadmit.CheckFailure{}
		}
		if !reflect.DeepEqual(first, resolve(t, pod, active, first.Failures)) {
			t.Fatal("the failures passed in were kept")
		}
	})
}

// A pod that may not be preempted changes no choice, wherever it is listed.
func TestUntouchablePodIsIrrelevant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod, active, failures := newCritical(nil), somePods(t, somePod, 10), someShortages(t)
		want := resolve(t, pod, active, failures)
		untouchable := somePod(t, "untouchable")
		untouchable.Static, untouchable.Priority = true, outrank.Priority(math.MaxInt32)
		at := rapid.IntRange(0, len(active)).Draw(t, "at")
		got := resolve(t, pod, slices.Insert(slices.Clone(active), at, untouchable), failures)
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("%v go, and %v beside the untouchable pod", evicted(want), evicted(got))
		}
	})
}

// Twice the amounts on both sides are the same problem.
func TestScaleIsIrrelevant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		active, failures := somePods(t, somePlainPod, 10), someShortages(t)
		twice := make([]*outrank.Pod, len(active))
		for i, p := range active {
			doubled := *p
			doubled.QOSClass = qos.Of(outrank.DefaultRelease, p)
			c := p.Containers[0]
			c.Requests = c.Requests.Plus(c.Requests)
			doubled.Containers = []outrank.Container{c}
			twice[i] = &doubled
		}
		large := slices.Clone(failures)
		for i := range large {
			if large[i].Resource != resource.Pods { // a pod is a pod
				large[i].Requested *= 2
			}
		}
		want, got := resolve(t, newCritical(nil), active, failures), resolve(t, newCritical(nil), twice, large)
		if !slices.Equal(evicted(want), evicted(got)) || want.Outcome != got.Outcome {
			t.Fatalf("%v go, and %v at twice the scale", evicted(want), evicted(got))
		}
	})
}

// Once the evictions are done the pod passes the check, as long as the
// kubelet counts pods as the scheduler does and no sum saturates.
func TestRoomIsReal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node, active := someNode(t), somePods(t, somePlainPod, 8)
		pod := somePlainPod(t, "critical")
		pod.Priority = outrank.Priority(2_000_001_000)
		adm, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if !adm.OK() {
			if adm.Reason == "" || adm.Message == "" {
				t.Fatal("rejected without a word")
			}
			return
		}
		gone := podsOf(adm.Evictions)
		rest := slices.DeleteFunc(slices.Clone(active), func(p *outrank.Pod) bool { return slices.Contains(gone, p) })
		left, err := kubeletadmit.Check(node, rest, pod, kubeletadmit.Config{})
		if err != nil || len(left) > 0 {
			t.Fatalf("after evicting %v: %v, %v", evicted(adm), left, err)
		}
	})
}

// A shortage is the exact difference, cut off at the ends of int64.
func TestShortageIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		figure := rapid.OneOf(rapid.Int64Range(0, 10), rapid.Int64Range(math.MaxInt64-10, math.MaxInt64), rapid.Int64Min(0))
		f := short("cpu", figure.Draw(t, "requested"), figure.Draw(t, "used"), figure.Draw(t, "capacity"))
		want := new(big.Int).Sub(big.NewInt(f.Used), big.NewInt(f.Capacity))
		want.Add(want, big.NewInt(f.Requested))
		if limit := big.NewInt(math.MaxInt64); want.Cmp(limit) > 0 {
			want = limit
		}
		if f.Shortage() != want.Int64() {
			t.Fatalf("Shortage of %+v = %d, want %v", f, f.Shortage(), want)
		}
	})
}

// Ranking keeps every pod, ends in one order whatever the order given, and no
// pod comes before one that rule after rule puts first.
func TestRankingProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pods := somePods(t, somePod, 10)
		usage := stats{}
		for _, p := range pods {
			if !chance(t, 4, "unmeasured") {
				n := rapid.Int64Range(0, 5)
				usage[p.Name] = kubeletadmit.Usage{Memory: n.Draw(t, "memory"), Disk: n.Draw(t, "disk"), Inodes: n.Draw(t, "inodes"), Processes: n.Draw(t, "processes")}
			}
		}
		pressure := rapid.SampledFrom([]kubeletadmit.Pressure{
			kubeletadmit.MemoryPressure, kubeletadmit.DiskPressure, kubeletadmit.InodePressure, kubeletadmit.PIDPressure,
		}).Draw(t, "pressure")
		got, err := kubeletadmit.RankForEviction(pods, pressure, usage.of)
		if err != nil {
			t.Fatal(err)
		}
		shuffled := rapid.Permutation(pods).Draw(t, "shuffled")
		again, err := kubeletadmit.RankForEviction(shuffled, pressure, usage.of)
		if err != nil || !reflect.DeepEqual(got, again) || len(got) != len(pods) {
			t.Fatalf("ranked %v, and %v from another order (%v)", got, again, err)
		}
		for i := 1; i < len(got); i++ {
			if a, b := got[i-1], got[i]; firstOf(a, b, pressure) > 0 {
				t.Fatalf("%+v comes before %+v", a, b)
			}
		}
	})
}

// firstOf is below 0 where a goes first by the figures of both, above 0 where b does.
func firstOf(a, b kubeletadmit.RankedPod, pressure kubeletadmit.Pressure) int {
	yes := func(x bool) int {
		if x {
			return 0
		}
		return 1
	}
	measured := cmp.Compare(yes(!a.Measured), yes(!b.Measured))
	priority := cmp.Compare(a.Priority, b.Priority)
	if pressure == kubeletadmit.PIDPressure {
		return cmp.Or(priority, measured, cmp.Compare(b.Usage, a.Usage))
	}
	above := func(r kubeletadmit.RankedPod) int { return yes(resource.New(r.Usage).Cmp(r.Request) > 0) }
	return cmp.Or(measured, cmp.Compare(above(a), above(b)), priority,
		resource.New(b.Usage).Sub(b.Request).Cmp(resource.New(a.Usage).Sub(a.Request)))
}

// Requests and usage are compared to the thousandth of a byte, by sums of plain integers
// (rules 18.2 and 18.4).
func TestRankingOfPartsOfBytes(t *testing.T) {
	const thousandths = 1000
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]int64{0, 1, 499, 500, 999, 1000, 1001, 1500, 1999, 2000, 2001, 2500, 3000})
		var pods []*outrank.Pod
		usage, above := stats{}, map[string]int64{}
		for i := range rapid.IntRange(2, 5).Draw(t, "pods") {
			p := &outrank.Pod{Name: fmt.Sprint("p", i)}
			var sum int64
			for range rapid.IntRange(1, 2).Draw(t, "containers") {
				milli := part.Draw(t, "request")
				sum += milli
				l := resource.List{"memory": resource.NewMilli(milli), "ephemeral-storage": resource.NewMilli(milli)}
				p.Containers = append(p.Containers, outrank.Container{Requests: l})
			}
			used := rapid.Int64Range(0, 4).Draw(t, "usage")
			pods, usage[p.Name], above[p.Name] = append(pods, p), kubeletadmit.Usage{Memory: used, Disk: used}, used*thousandths-sum
		}
		for _, pressure := range []kubeletadmit.Pressure{kubeletadmit.MemoryPressure, kubeletadmit.DiskPressure} {
			ranked, err := kubeletadmit.RankForEviction(pods, pressure, usage.of)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range ranked {
				if got := r.Above().MilliValue(); got != above[r.Pod.Name] {
					t.Fatalf("%s is %d thousandths above its request, want %d", r.Pod.Name, got, above[r.Pod.Name])
				}
				if i > 0 && above[ranked[i-1].Pod.Name] < above[r.Pod.Name] {
					t.Fatalf("%s comes before %s: %v", ranked[i-1].Pod.Name, r.Pod.Name, above)
				}
			}
		}
	})
}
