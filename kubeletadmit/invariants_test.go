package kubeletadmit_test

import (
	"testing"

	"github.com/outrank-go/outrank/internal/tests/invariants"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// What always holds of the pods that the kubelet evicts. Each test draws hosts with few pods, and judges the answers by sums
// of its own (package invariants). A failure is a sentence, and the host as a scenario.
var kubelet invariants.Kubelet = kubeletadmit.Admit

func TestInvariantOnlyThoseThatMayBeEvictedLeave(t *testing.T) {
	kubelet.OnlyThoseThatMayBeEvictedLeave(t)
}

func TestInvariantThePodFitsOnceTheEvictedAreGone(t *testing.T) {
	kubelet.ThePodFitsOnceTheEvictedAreGone(t)
}

func TestInvariantWhereThereIsRoomNobodyIsEvicted(t *testing.T) {
	kubelet.WhereThereIsRoomNobodyIsEvicted(t)
}

func TestInvariantNobodyIsEvictedInVain(t *testing.T) {
	kubelet.NobodyIsEvictedInVain(t)
}

func TestInvariantATierLeavesOnlyIfTheLowerOnesWouldNotDo(t *testing.T) {
	kubelet.ATierLeavesOnlyIfTheLowerOnesWouldNotDo(t)
}

func TestInvariantEachTimeTheNearestLeaves(t *testing.T) {
	kubelet.EachTimeTheNearestLeaves(t)
}

func TestInvariantEvictionEndsOnceTheShortageIsCovered(t *testing.T) {
	kubelet.EvictionEndsOnceTheShortageIsCovered(t)
}

func TestInvariantLowerTiersStandFirst(t *testing.T) {
	kubelet.LowerTiersStandFirst(t)
}

func TestInvariantPriorityChoosesNobody(t *testing.T) {
	kubelet.PriorityChoosesNobody(t)
}

func TestInvariantNothingElseIsTouched(t *testing.T) {
	kubelet.NothingElseIsTouched(t)
}
