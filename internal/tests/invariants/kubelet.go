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
	// reasons has what is said of each evicted pod.
	reasons map[*HostPod]*kubeletadmit.EvictedPod
	// unreadable says which evicted pod is none on the host.
	unreadable string
}

// always draws hosts, and lets judge look at each with the answer. It sees no host with an error in place of an answer;
// that none has one is promised elsewhere (see [Kubelet.NobodyIsEvictedInVain]).
func (k Kubelet) always(t *testing.T, judge func(h *Host, a *hostAnswer) (broken string)) {
	t.Helper()
	k.alwaysAnswers(t, func(h *Host, a *hostAnswer, err error) string {
		if err != nil {
			return ""
		}
		return judge(h, a)
	})
}

// alwaysAnswers does what always does, and lets judge look at errors, too.
func (k Kubelet) alwaysAnswers(t *testing.T, judge func(h *Host, a *hostAnswer, err error) (broken string)) {
	t.Helper()
	seeded.AtLeast(t, fewest)
	rapid.Check(t, func(t *rapid.T) {
		h := Hosts.Draw(t, "host")
		a, panicked, err := caught(func() (*hostAnswer, error) { return k.ask(h) })
		if panicked != "" {
			t.Fatal(panicked)
		}
		if broken := judge(h, a, err); broken != "" {
			t.Fatal(broken)
		}
	})
}

func (k Kubelet) ask(h *Host) (*hostAnswer, error) {
	adm, err := k(h.Node(), h.Active(), h.Asks.Object(), h.config())
	if err != nil {
		return nil, err
	}
	a := &hostAnswer{admission: adm, reasons: map[*HostPod]*kubeletadmit.EvictedPod{}}
	for i := range adm.Evictions {
		e := &adm.Evictions[i]
		at := slices.IndexFunc(h.Pods, func(p HostPod) bool { return p.Name == e.Pod.Name })
		switch {
		case at < 0:
			a.unreadable = e.Pod.Name + " is evicted, and is not there"
			continue
		case a.reasons[&h.Pods[at]] != nil:
			a.unreadable = e.Pod.Name + " is evicted twice"
			continue
		}
		a.evicted = append(a.evicted, &h.Pods[at])
		a.reasons[&h.Pods[at]] = e
	}
	return a, nil
}

func (h *Host) config() kubeletadmit.Config {
	release, err := outrank.ParseRelease(h.Release)
	if err != nil {
		panic(err)
	}
	return kubeletadmit.Config{Release: release, PriorityFirst: h.PriorityFirst}
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
// pod evicts anybody, and that a pod is told which of the two it is (rules 17.1.1 to 17.1.4, 17.4.2 and 17.4.6).
func (k Kubelet) OnlyThoseThatMayBeEvictedLeave(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		switch adm := &a.admission; {
		case h.Asks.critical() && len(adm.Returned) > 0:
			return "it is said that nobody may be evicted for the pod, and it is critical"
		case !h.Asks.critical() && len(adm.Missing) > 0:
			return "it is said that evictions would not make room for the pod, and it is not critical"
		}
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
// if all who may be evicted would not make enough room, and is told what would be short then (rules 17.4.4, 17.4.6 and
// 17.5.2). So there is an answer, and no error, about every host.
func (k Kubelet) NobodyIsEvictedInVain(t *testing.T) {
	k.alwaysAnswers(t, func(h *Host, a *hostAnswer, err error) string {
		if err != nil {
			return fmt.Sprintf("there is no answer, but the error %q", err)
		}
		all := h.candidates(h.tiers()...)
		rejected := a.admission.Outcome == kubeletadmit.Rejected
		switch lack := h.short(all...); {
		case rejected && len(a.evicted) > 0:
			return hostNames(a.evicted) + " are evicted for a pod that is rejected"
		case rejected && h.Asks.critical() && lack == enough:
			return fmt.Sprintf("the pod is rejected, and without %s it would have room", hostNames(all))
		case !rejected && h.Asks.critical() && lack != enough:
			return fmt.Sprintf("the pod is admitted, and even without %s %s are short", hostNames(all), amounts(lack))
		case rejected && h.Asks.critical() && !slices.Equal(a.admission.Missing, missing(lack)):
			return fmt.Sprintf("%v is said to be short without %s, and that is %v", a.admission.Missing, hostNames(all), missing(lack))
		}
		return ""
	})
}

// EvictionEndsOnceTheShortageIsCovered holds that before the last pod of a tier is chosen something is still short (rules
// 17.6.1 and 17.6.6).
func (k Kubelet) EvictionEndsOnceTheShortageIsCovered(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		for i, t := range h.tiers() {
			chosen := a.of(t)
			if len(chosen) == 0 {
				continue
			}
			last := chosen[len(chosen)-1]
			if before := slices.Concat(a.othersThan(h, i), chosen[:len(chosen)-1]); h.short(before...) == enough {
				return fmt.Sprintf("%s of the tier %s is evicted, though nothing is short any more without %s", last.Name, t, hostNames(before))
			}
		}
		return ""
	})
}

// PriorityChoosesNobody holds that priorities decide nothing among those who may be evicted: with others, by which the same
// pods may be, the same leave (rule 17.5.7), unless priorities are to come first.
func (k Kubelet) PriorityChoosesNobody(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		if h.PriorityFirst {
			return ""
		}
		other := *h
		other.Pods = slices.Clone(h.Pods)
		for i := range other.Pods {
			if p := &other.Pods[i]; !p.critical() && h.Asks.critical() {
				p.Priority, p.Unset = 7-p.Priority, false
			}
		}
		b, err := k.ask(&other)
		if err != nil {
			return fmt.Sprintf("if the priorities are turned round there is no answer, but the error %q", err)
		}
		if got, want := hostNames(b.evicted), hostNames(a.evicted); got != want {
			return fmt.Sprintf("%s are evicted, and %s if the priorities are turned round", want, got)
		}
		return ""
	})
}

// NothingElseIsTouched holds that only pods of the host are evicted, each once; that the input is unchanged, and that the
// same question again has the same answer, byte by byte.
func (k Kubelet) NothingElseIsTouched(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		if a.unreadable != "" {
			return a.unreadable
		}
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
			return "the same question again has another answer: " + apart(once, again)
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
