package kubeletadmit_test

import (
	"fmt"
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

func ExampleAdmitter_Compare() {
	node := newNode("cpu", "7", "memory", "7Gi")
	active := []*outrank.Pod{
		newPod("a", req("cpu", "3", "memory", "3Gi")), newPod("b", req("cpu", "4")), newPod("c", req("memory", "4Gi")),
	}
	pod := newCritical(req("cpu", "4", "memory", "4Gi"))
	d, err := kubeletadmit.Admitter{Exact: true}.Compare(node, active, pod)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("kubelet:", d.Faithful)
	fmt.Println("exact:  ", d.Chosen)
	fmt.Println(&d)
	fmt.Println(d.Chosen.Search)
	// Output:
	// kubelet: AdmittedAfterEvicting: default/a (Burstable), default/b (Burstable), default/c (Burstable)
	// exact:   AdmittedAfterEvicting: default/b (Burstable), default/c (Burstable)
	// 2 pods go, where the kubelet evicts 3; default/a is spared
	// the best there is, found in 7 steps
}

func ExampleCertificate_Gap() {
	c := kubeletadmit.Certificate{Steps: 1000, Tiers: []kubeletadmit.TierCount{
		{Class: outrank.Guaranteed, Chosen: 1, AtLeast: 1}, {Class: outrank.Burstable, Chosen: 7, AtLeast: 6},
	}}
	gap, ok := c.Gap()
	fmt.Println(gap, ok)
	fmt.Println(&c)
	// Output:
	// 7 Burstable pods true
	// the best found in 1000 steps: 7 Burstable pods, and at least 6
}

func ExampleDifferenceOf() {
	web := newPod("web", req("cpu", "1"), withPriority(1000))
	batch := newPod("batch", req("cpu", "2"), withPriority(10))
	faithful := kubeletadmit.Admission{Evictions: []kubeletadmit.EvictedPod{{Pod: web, Tier: outrank.Burstable}}}
	mine := kubeletadmit.Admission{Evictions: []kubeletadmit.EvictedPod{{Pod: batch, Tier: outrank.Burstable}}}
	d := kubeletadmit.DifferenceOf(faithful, mine)
	fmt.Println(&d, d.Same())
	// Output:
	// 1 pod goes, where the kubelet evicts 1; default/web is spared; default/batch goes instead false
}

func ExampleAdmitter_Faithful() {
	a := kubeletadmit.Admitter{Release: outrank.V1_36, Exact: true}
	fmt.Println(a.Faithful() == kubeletadmit.Admitter{Release: outrank.V1_36})
	// Output:
	// true
}
