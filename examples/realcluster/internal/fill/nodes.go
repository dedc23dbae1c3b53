// Package fill answers what a full cluster contains: nodes of several kinds, priority classes, budgets,
// volumes, and workloads of every importance. It makes the objects and creates them.
package fill

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The labels that distinguish nodes.
const (
	PoolLabel  = "pool"
	CoresLabel = "cores"
	GPU        = corev1.ResourceName("nvidia.com/gpu")
	FPGA       = corev1.ResourceName("example.com/fpga")
)

// Pool is a number of nodes that differ only in their names and zones.
type Pool struct {
	Name              string
	Nodes             int
	CPU, Memory, Pods int // in cores, GiB and pods
	Extra             map[corev1.ResourceName]string
	Taint             *corev1.Taint
}

// Pools are the pools of the cluster. Together they have fewer than 100 nodes, because the scheduler then looks
// at every node.
var Pools = []Pool{
	{Name: "std", Nodes: 28, CPU: 8, Memory: 32, Pods: 30},
	{Name: "few", Nodes: 3, CPU: 8, Memory: 32, Pods: 8}, // has places for only a few pods
	{Name: "big", Nodes: 9, CPU: 32, Memory: 128, Pods: 110},
	{
		Name: "gpu", Nodes: 6, CPU: 16, Memory: 64, Pods: 110,
		Extra: map[corev1.ResourceName]string{GPU: "4", "hugepages-2Mi": "1Gi"},
		Taint: &corev1.Taint{Key: string(GPU), Value: "present", Effect: corev1.TaintEffectNoSchedule},
	},
	{
		Name: "infra", Nodes: 6, CPU: 8, Memory: 32, Pods: 110,
		Extra: map[corev1.ResourceName]string{FPGA: "2"},
		Taint: &corev1.Taint{Key: "dedicated", Value: "infra", Effect: corev1.TaintEffectNoSchedule},
	},
}

// Zones are the zones of every pool.
var Zones = []string{"eu-1a", "eu-1b", "eu-1c"}

// Cordoned are nodes that take no new pods once the cluster is full.
var Cordoned = []string{"std-26", "std-27"}

// Nodes returns all nodes.
func Nodes() []*corev1.Node {
	var out []*corev1.Node
	for _, p := range Pools {
		for i := range p.Nodes {
			out = append(out, p.node(i))
		}
	}
	return out
}

func (p *Pool) node(i int) *corev1.Node {
	name := fmt.Sprintf("%s-%02d", p.Name, i)
	amounts := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse(fmt.Sprint(p.CPU)),
		corev1.ResourceMemory:           resource.MustParse(fmt.Sprintf("%dGi", p.Memory)),
		corev1.ResourcePods:             resource.MustParse(fmt.Sprint(p.Pods)),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
	}
	for r, amount := range p.Extra {
		amounts[r] = resource.MustParse(amount)
	}
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
			corev1.LabelTopologyZone: Zones[i%len(Zones)], corev1.LabelTopologyRegion: "eu-1",
			PoolLabel: p.Name, CoresLabel: fmt.Sprint(p.CPU),
		}},
		Status: corev1.NodeStatus{Capacity: amounts, Allocatable: amounts.DeepCopy()},
	}
	if p.Taint != nil {
		n.Spec.Taints = []corev1.Taint{*p.Taint}
	}
	return n
}

// Driver is a storage driver. Each node of the big pool attaches at most two of its volumes.
const Driver = "disk.example.com"

// CSINodes returns the objects that limit the volumes that nodes of the big pool attach.
func CSINodes() []*storagev1.CSINode {
	var out []*storagev1.CSINode
	two := int32(2)
	for _, p := range Pools {
		if p.Name != "big" {
			continue
		}
		for i := range p.Nodes {
			name := fmt.Sprintf("%s-%02d", p.Name, i)
			out = append(out, &storagev1.CSINode{
				ObjectMeta: metav1.ObjectMeta{Name: name},
				Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{
					Name: Driver, NodeID: name, TopologyKeys: []string{corev1.LabelTopologyZone},
					Allocatable: &storagev1.VolumeNodeResources{Count: &two},
				}}},
			})
		}
	}
	return out
}
