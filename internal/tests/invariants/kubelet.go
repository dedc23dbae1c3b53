package invariants

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Kubelet is what is judged: the admission of a pod on a host.
type Kubelet func(*outrank.Node, []*outrank.Pod, *outrank.Pod, kubeletadmit.Config) (kubeletadmit.Admission, error)

// hostAnswer is what a kubelet says about the pod that is to start.
type hostAnswer struct {
	admission kubeletadmit.Admission
	evicted   []*HostPod
	// distances has how far each evicted pod is said to be from what is short.
	distances map[*HostPod]float64
}

// tiers has the evicted pods of each class, in the order in which they were chosen.
func (a *hostAnswer) tier(class outrank.QOSClass) (pods []*HostPod) {
	for _, p := range a.evicted {
		if p.Class == class {
			pods = append(pods, p)
		}
	}
	return pods
}

// always draws hosts, and lets judge look at each with the answer.
func (k Kubelet) always(t *testing.T, judge func(h *Host, a *hostAnswer) (broken string)) {
	t.Helper()
	seeded.AtLeast(t, fewest)
	rapid.Check(t, func(t *rapid.T) {
		h := Hosts.Draw(t, "host")
		a, broken := k.ask(h)
		if broken == "" {
			broken = judge(h, a)
		}
		if broken != "" {
			t.Fatal(broken)
		}
	})
}

func (k Kubelet) ask(h *Host) (*hostAnswer, string) {
	adm, err := k(h.Node(), h.Active(), h.Asks.Object(), h.config())
	if err != nil {
		return nil, fmt.Sprintf("no answer but the error %q", err)
	}
	a := &hostAnswer{admission: adm, distances: map[*HostPod]float64{}}
	for _, e := range adm.Evictions {
		i := slices.IndexFunc(h.Pods, func(p HostPod) bool { return p.Name == e.Pod.Name })
		switch {
		case i < 0:
			return nil, e.Pod.Name + " is evicted, and is not there"
		case slices.Contains(a.evicted, &h.Pods[i]):
			return nil, e.Pod.Name + " is evicted twice"
		case e.Tier != h.Pods[i].Class:
			return nil, fmt.Sprintf("%s of the class %s is evicted from the tier %s", e.Pod.Name, h.Pods[i].Class, e.Tier)
		}
		a.evicted = append(a.evicted, &h.Pods[i])
		a.distances[&h.Pods[i]] = e.Distance
	}
	return a, ""
}

func (h *Host) config() kubeletadmit.Config {
	release, err := outrank.ParseRelease(h.Release)
	if err != nil {
		panic(err)
	}
	return kubeletadmit.Config{Release: release}
}

// critical reports whether the kubelet makes room for a pod (rule 17.1.1).
func (p *HostPod) critical() bool {
	return p.Static || p.Mirror || !p.Unset && p.Priority >= criticalPriority
}

// mayEvict reports whether the pod that asks may push this one out (rules 17.1.3 and 17.1.4).
func (h *Host) mayEvict(p *HostPod) bool {
	if h.Asks.critical() && !p.critical() {
		return true
	}
	return !h.Asks.Unset && !p.Unset && h.Asks.Priority > p.Priority
}

// below are the pods of the lower classes that may be evicted; with all classes these are all of them.
func (h *Host) candidates(classes ...outrank.QOSClass) (pods []*HostPod) {
	for i := range h.Pods {
		if p := &h.Pods[i]; h.mayEvict(p) && slices.Contains(classes, p.Class) {
			pods = append(pods, p)
		}
	}
	return pods
}

// short returns what the pod that asks lacks once these pods are gone, 0 for a resource of which there is enough (rules
// 17.3.4 to 17.3.6).
func (h *Host) short(gone ...*HostPod) (lack [numResources]int64) {
	for r := range numResources {
		if h.Asks.Amounts[r] == 0 {
			continue
		}
		free := h.Amounts[r]
		for i := range h.Pods {
			if !slices.Contains(gone, &h.Pods[i]) {
				free -= h.Pods[i].Amounts[r]
			}
		}
		lack[r] = max(0, h.Asks.Amounts[r]-free)
	}
	return lack
}

var enough [numResources]int64

// OnlyThoseThatMayBeEvictedLeave holds that a critical pod evicts nobody critical but of lower priority, and that no other
// pod evicts anybody (rules 17.1.1 to 17.1.4 and 17.4.2).
func (k Kubelet) OnlyThoseThatMayBeEvictedLeave(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		for _, p := range a.evicted {
			switch {
			case !h.Asks.critical():
				return p.Name + " is evicted for a pod that is not critical"
			case !h.mayEvict(p):
				return fmt.Sprintf("%s is evicted, which is critical itself, and its priority %s is not below %s", p.Name, p.said(), h.Asks.said())
			}
		}
		return ""
	})
}

func (p *HostPod) said() string {
	if p.Unset {
		return "(none)"
	}
	return fmt.Sprint(p.Priority)
}

// ThePodFitsOnceTheEvictedAreGone holds that the evictions cover all that is short (rule 17.4.4).
func (k Kubelet) ThePodFitsOnceTheEvictedAreGone(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		if lack := h.short(a.evicted...); a.admission.Outcome != kubeletadmit.Rejected && lack != enough {
			return fmt.Sprintf("the pod is admitted, and once %s are gone %s are short", hostNames(a.evicted), amounts(lack))
		}
		return ""
	})
}

// WhereThereIsRoomNobodyIsEvicted holds that a pod with room is admitted at nobody's cost (rule 17.4.1).
func (k Kubelet) WhereThereIsRoomNobodyIsEvicted(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		if h.short() == enough && (len(a.evicted) > 0 || a.admission.Outcome != kubeletadmit.Admitted) {
			return fmt.Sprintf("there is room for the pod, and the answer is %s, with %s evicted", a.admission.Outcome, hostNames(a.evicted))
		}
		return ""
	})
}

// NobodyIsEvictedInVain holds that nobody is evicted for a pod that is rejected, and that a critical pod is rejected only
// if all who may be evicted would not make enough room (rules 17.4.4, 17.4.6 and 17.5.2).
func (k Kubelet) NobodyIsEvictedInVain(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		all := h.candidates(outrank.BestEffort, outrank.Burstable, outrank.Guaranteed)
		rejected := a.admission.Outcome == kubeletadmit.Rejected
		switch lack := h.short(all...); {
		case rejected && len(a.evicted) > 0:
			return hostNames(a.evicted) + " are evicted for a pod that is rejected"
		case rejected && h.Asks.critical() && lack == enough:
			return fmt.Sprintf("the pod is rejected, and without %s it would have room", hostNames(all))
		case !rejected && h.Asks.critical() && lack != enough:
			return fmt.Sprintf("the pod is admitted, and even without %s %s are short", hostNames(all), amounts(lack))
		}
		return ""
	})
}

// ATierLeavesOnlyIfTheLowerOnesWouldNotDo holds that somebody of a tier is evicted only if all of the lower tiers, and
// those chosen of the higher ones, would not make enough room (rules 17.5.3 to 17.5.5).
func (k Kubelet) ATierLeavesOnlyIfTheLowerOnesWouldNotDo(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		for i, class := range classes {
			chosen := a.tier(class)
			if others := a.othersThan(h, i); len(chosen) > 0 && h.short(others...) == enough {
				return fmt.Sprintf("%s of the tier %s is evicted, and %s would do", chosen[0].Name, class, hostNames(others))
			}
		}
		return ""
	})
}

// classes are the tiers, the lowest first.
var classes = []outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed}

// othersThan returns all that may be evicted of the tiers below one, and those chosen of the tiers above it.
func (a *hostAnswer) othersThan(h *Host, tier int) []*HostPod {
	others := h.candidates(classes[:tier]...)
	for _, above := range classes[tier+1:] {
		others = append(others, a.tier(above)...)
	}
	return others
}

// EachTimeTheNearestLeaves holds that of the pods that are left in a tier each time the one leaves that is nearest to what
// is still short, by the sum of squares of the parts that it would leave, as it is said of each; of those that tie the one
// that asks for less memory, then for less cpu, then the later one in the list (group 17.6).
func (k Kubelet) EachTimeTheNearestLeaves(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		for i, class := range classes {
			left, lack := h.candidates(class), h.short(a.othersThan(h, i)...)
			for _, p := range a.tier(class) {
				nearest := slices.MaxFunc(left, func(p, q *HostPod) int { return nearer(p, q, &lack, left) })
				if p != nearest {
					return fmt.Sprintf("%s of the tier %s is evicted at a distance of %v with %s short, and %s is at %v",
						p.Name, class, p.distance(&lack), amounts(lack), nearest.Name, nearest.distance(&lack))
				}
				if said, is := a.distances[p], p.distance(&lack); said != is {
					return fmt.Sprintf("%s is said to be evicted at a distance of %v, and with %s short it is at %v", p.Name, said, amounts(lack), is)
				}
				for r := range numResources {
					lack[r] = max(0, lack[r]-p.Amounts[r])
				}
				at := slices.Index(left, p)
				left[at] = left[len(left)-1]
				left = left[:len(left)-1]
			}
		}
		return ""
	})
}

// distance is the sum, over what is short, of the square of the part that the pod would leave (rule 17.6.2).
func (p *HostPod) distance(lack *[numResources]int64) (sum float64) {
	for r, short := range lack {
		if rest := short - p.Amounts[r]; short > 0 && rest > 0 {
			part := float64(rest) / float64(short)
			sum += float64(part * part) // not fused into the sum, which would round otherwise
		}
	}
	return sum
}

// nearer is positive if p leaves before q.
func nearer(p, q *HostPod, lack *[numResources]int64, list []*HostPod) int {
	for _, by := range [][2]float64{
		{q.distance(lack), p.distance(lack)}, {float64(q.Amounts[2]), float64(p.Amounts[2])}, {float64(q.Amounts[1]), float64(p.Amounts[1])},
		{float64(slices.Index(list, p)), float64(slices.Index(list, q))},
	} {
		if by[0] != by[1] {
			if by[0] > by[1] {
				return 1
			}
			return -1
		}
	}
	return 0
}

// EvictionEndsOnceTheShortageIsCovered holds that before the last pod of a tier is chosen something is still short (rules
// 17.6.1 and 17.6.6).
func (k Kubelet) EvictionEndsOnceTheShortageIsCovered(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		for i, class := range classes {
			chosen := a.tier(class)
			if len(chosen) == 0 {
				continue
			}
			last := chosen[len(chosen)-1]
			if before := slices.Concat(a.othersThan(h, i), chosen[:len(chosen)-1]); h.short(before...) == enough {
				return fmt.Sprintf("%s of the tier %s is evicted, though nothing is short any more without %s", last.Name, class, hostNames(before))
			}
		}
		return ""
	})
}

// LowerTiersStandFirst holds that the answer lists the evictions by their tiers, the lowest first (rule 17.5.6).
func (k Kubelet) LowerTiersStandFirst(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		for i := 1; i < len(a.evicted); i++ {
			if p, q := a.evicted[i-1], a.evicted[i]; slices.Index(classes, p.Class) > slices.Index(classes, q.Class) {
				return fmt.Sprintf("%s of the tier %s is listed before %s of the tier %s", p.Name, p.Class, q.Name, q.Class)
			}
		}
		return ""
	})
}

// PriorityChoosesNobody holds that priorities decide nothing among those who may be evicted: with others, by which the same
// pods may be, the same leave (rule 17.5.7).
func (k Kubelet) PriorityChoosesNobody(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		other := *h
		other.Pods = slices.Clone(h.Pods)
		for i := range other.Pods {
			if p := &other.Pods[i]; !p.critical() && h.Asks.critical() {
				p.Priority, p.Unset = 7-p.Priority, false
			}
		}
		b, broken := k.ask(&other)
		if broken != "" {
			return broken
		}
		if got, want := hostNames(b.evicted), hostNames(a.evicted); got != want {
			return fmt.Sprintf("%s are evicted, and %s if the priorities are turned round", want, got)
		}
		return ""
	})
}

// NothingElseIsTouched holds that the input is unchanged, and that the same question again has the same answer, byte by
// byte.
func (k Kubelet) NothingElseIsTouched(t *testing.T) {
	k.always(t, func(h *Host, _ *hostAnswer) string {
		node, active, pod := h.Node(), h.Active(), h.Asks.Object()
		written := func() string {
			adm, err := k(node, active, pod, h.config())
			if err != nil {
				return err.Error()
			}
			text, err := json.Marshal(adm)
			if err != nil {
				return err.Error()
			}
			return string(text)
		}
		once := written()
		if !reflect.DeepEqual(node, h.Node()) || !reflect.DeepEqual(active, h.Active()) || !reflect.DeepEqual(pod, h.Asks.Object()) {
			return "the input was changed"
		}
		if again := written(); again != once {
			return fmt.Sprintf("the same question again has another answer:\n%s\n%s", once, again)
		}
		return ""
	})
}

func hostNames(pods []*HostPod) string {
	var list []string
	for _, p := range pods {
		list = append(list, p.Name)
	}
	return fmt.Sprint(list)
}

// amounts names what is short.
func amounts(lack [numResources]int64) string {
	var list []string
	for r, n := range lack {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d of %s", n, Resources[r]))
		}
	}
	return fmt.Sprint(list)
}
