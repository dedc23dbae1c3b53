package kubeletadmit_test

import (
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

func TestCritical(t *testing.T) {
	for _, tt := range []struct {
		name string
		pod  *outrank.Pod
		want bool
	}{
		{"nil", nil, false},
		{"no priority", newPod("a", nil), false},
		{"highest user priority", newPod("a", nil, withPriority(1_000_000_000)), false},
		{"one below the bound", newPod("a", nil, withPriority(1_999_999_999)), false},
		{"the bound itself", newPod("a", nil, withPriority(2_000_000_000)), true},
		{"static without a priority", newPod("a", nil, static), true},
		{"mirror with a negative priority", newPod("a", nil, mirror, withPriority(-5)), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := kubeletadmit.Critical(tt.pod); got != tt.want {
				t.Errorf("Critical = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPreemptable(t *testing.T) {
	low, high := withPriority(1), withPriority(2)
	for _, tt := range []struct {
		name           string
		preemptor, pod *outrank.Pod
		want           bool
	}{
		{"higher priority", newPod("p", nil, high), newPod("q", nil, low), true},
		{"equal priority", newPod("p", nil, high), newPod("q", nil, high), false},
		{"lower priority", newPod("p", nil, low), newPod("q", nil, high), false},
		{"preemptor without a priority: not taken for 0", newPod("p", nil), newPod("q", nil, withPriority(-1)), false},
		{"pod without a priority: not taken for 0", newPod("p", nil, high), newPod("q", nil), false},
		{"critical against one without a priority", newCritical(nil), newPod("q", nil), true},
		{"static with the lower priority against a pod that is not critical", newPod("p", nil, static, low), newPod("q", nil, high), true},
		{"two critical ones: priority decides", newCritical(nil), newPod("q", nil, static, high), true},
		{"two critical ones without priorities", newPod("p", nil, static), newPod("q", nil, mirror), false},
		{"not critical against critical with a higher priority", newPod("p", nil, high), newPod("q", nil, mirror, low), true},
		{"policy Never plays no part", newPod("p", nil, high, func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }), newPod("q", nil, low), true},
		{"nil preemptor", nil, newPod("q", nil), false},
		{"nil pod", newCritical(nil), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := kubeletadmit.Preemptable(tt.preemptor, tt.pod); got != tt.want {
				t.Errorf("Preemptable = %v, want %v", got, tt.want)
			}
		})
	}
}
