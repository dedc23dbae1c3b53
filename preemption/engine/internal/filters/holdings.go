package filters

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"unique"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// holdings lists what the pods of one node hold beside resources: ports, disks, claims, and attached volumes.
// They are made anew with each change of the node and never written afterwards, so that snapshots can share
// them. Each list goes pod by pod, the most important pod first.
type holdings struct {
	ports []heldPort
	disks []heldDisk
	// drivers has the attached volumes of each driver for which the node has a limit.
	drivers []heldVolumes
	// claims has every mention of a claim by a volume of a pod.
	claims []heldClaim
	// amounts has the resources without a column in the snapshot, in no particular order.
	amounts []heldAmount
	// volumes is set if any pod has a volume of any sort.
	volumes bool
	// lacksDriver is set if the node reports any driver as missing.
	lacksDriver bool
}

// heldPort is a host port of a pod, and heldDisk a disk that a pod mounts directly.
type heldPort struct {
	fit.HostPort
	hold
}

type heldDisk struct {
	*outrank.Disk
	hold
}

// heldClaim is a claim that a volume of a pod names, with a hash of its name.
type heldClaim struct {
	volume *outrank.Volume
	hash   uint32
	hold
}

func hashOfClaim(name string) uint32 { return uint32(maphash.String(volumeSeed, name)) }

// heldVolumes has the volumes that one driver has attached to the node.
type heldVolumes struct {
	driver   unique.Handle[string]
	limit    int64
	attached int64
	// shared is set if several pods use the same volume. Such a volume stays attached when only one of them
	// leaves.
	shared bool
	// hashes has the hashes of the volumes, sorted: a volume whose hash is missing is not attached. seen is a
	// cheap first test, which most other hashes fail.
	hashes []uint64
	seen   bitSet
	// pods has the number of volumes of each pod, and most is the largest of these numbers.
	pods []hold
	most int64
}

// hold says how much of something a pod holds. The pod is given by its index on the node, and its priority is
// repeated here so that readers need not look the pod up.
type hold struct {
	pod, priority int32
	amount        int64
}

// heldAmount has what the pods of a node take of one resource. most is the largest of these amounts.
type heldAmount struct {
	name resource.Name
	pods []hold
	most int64
}

// take adds what a pod takes of the resources without a column.
func (h *holdings) take(p *state.PodState, one hold) {
	for _, e := range p.Takes.More() {
		a := h.amountsOf(e.Name)
		if a == nil {
			h.amounts = append(h.amounts, heldAmount{name: e.Name})
			a = &h.amounts[len(h.amounts)-1]
		}
		one.amount = e.Value
		a.pods = append(a.pods, one)
		a.most = max(a.most, e.Value)
	}
}

// amountsOf returns what pods take of a resource without a column, nil if none takes any.
func (h *holdings) amountsOf(name resource.Name) *heldAmount {
	for i := range h.amounts {
		if h.amounts[i].name == name {
			return &h.amounts[i]
		}
	}
	return nil
}

// volumeID identifies a volume among those of one driver: by its handle or, if it is yet to be provisioned,
// by the namespace and the name of its claim (rule 7.9.6).
type volumeID struct{ namespace, name string }

// attached returns the driver that attaches a volume of the pod, and the volume's identity with that driver.
// The driver is empty if the volume counts against no limit.
func attached(pod *outrank.Pod, v *outrank.Volume) (driver string, id volumeID) {
	switch {
	case v.Disk.Kind != "":
		driver, id.name = v.Disk.Attachment()
	case v.Driver != "" && v.Handle != "":
		driver, id.name = v.Driver, v.Handle
	case v.Driver != "" && v.Claim != "":
		driver, id = v.Driver, volumeID{pod.NamespaceName(), v.Claim}
	}
	return driver, id
}

var volumeSeed = maphash.MakeSeed()

func (id volumeID) hash() uint64 { return maphash.Comparable(volumeSeed, id) }

// holdingsOf returns the holdings of a node.
func holdingsOf(n *state.NodeState) *holdings {
	node := n.Node
	h := &holdings{lacksDriver: len(node.MissingDrivers) > 0}
	for name, limit := range node.AttachLimits { // map order does no harm: drivers are looked up by name
		h.drivers = append(h.drivers, heldVolumes{driver: unique.Make(name), limit: limit})
	}

	for i, p := range n.Pods {
		one := hold{int32(i), p.Pod.PriorityValue(), 1}
		h.addPod(p.Pod, one)
		h.take(p, one)
	}
	if h.volumes {
		for i := range h.drivers {
			h.drivers[i].count(n.Pods)
		}
	}
	return h
}

// addPod adds the ports, disks and claims of a pod, each with the hold one.
func (h *holdings) addPod(pod *outrank.Pod, one hold) {
	for _, port := range fit.HostPorts(pod) {
		h.ports = append(h.ports, heldPort{port, one})
	}
	for i := range pod.Volumes {
		h.volumes = true
		v := &pod.Volumes[i]
		if v.Disk.Kind != "" {
			h.disks = append(h.disks, heldDisk{&v.Disk, one})
		}
		if state.UsesClaim(v) {
			h.claims = append(h.claims, heldClaim{v, hashOfClaim(v.Claim), one})
		}
	}
}

// noHoldings stands for the holdings of a node without any, as most are.
var noHoldings holdings

// heldOn returns the holdings that the snapshot keeps for a node. They are only to be read.
func heldOn(n *state.NodeState) *holdings {
	if h, ok := n.Held.(*holdings); ok {
		return h
	}
	return &noHoldings
}

// count finds the volumes that the driver has attached for these pods. A volume that several pods use is
// attached once (rule 7.9.3), and counts for the most important of them.
func (h *heldVolumes) count(pods []*state.PodState) {
	holder := map[volumeID]int32{}
	// Only volumes that no more important pod holds are the pod's own.
	for i, p := range pods {
		own := int64(0)
		for j := range p.Pod.Volumes {
			name, id := attached(p.Pod, &p.Pod.Volumes[j])
			if name == "" || name != h.driver.Value() {
				continue
			}

			first, known := holder[id]
			switch {
			case !known:
				holder[id] = int32(i)
				h.hashes = append(h.hashes, id.hash())
				own++
			case first != int32(i): // a pod may also mention one volume twice
				h.shared = true
			}
		}

		if own > 0 {
			h.pods = append(h.pods, hold{int32(i), p.Pod.PriorityValue(), own})
			h.most = max(h.most, own)
		}
	}

	h.attached = int64(len(holder))
	slices.Sort(h.hashes)
	h.seen = bitSetOf(h.hashes)
}

// bitSet is a set of hashes that may claim to have one which it does not (a Bloom filter with one hash). Its
// length is a power of two.
type bitSet []uint64

// bitsPerHash is the least number of bits that a bitSet has for each hash in it.
const bitsPerHash = 16

func bitSetOf(hashes []uint64) bitSet {
	if len(hashes) == 0 {
		return nil
	}
	s := make(bitSet, 1<<bits.Len(uint(len(hashes)*bitsPerHash/64)))
	for _, hash := range hashes {
		s[s.word(hash)] |= 1 << (hash % 64)
	}
	return s
}

func (s bitSet) word(hash uint64) int { return int(hash/64) & (len(s) - 1) }

// mayHave reports whether the set may have a hash. False is certain.
func (s bitSet) mayHave(hash uint64) bool { return len(s) > 0 && s[s.word(hash)]&(1<<(hash%64)) != 0 }

// volumesOf returns the volumes of a driver, nil if the node has no limit for it.
func (h *holdings) volumesOf(driver unique.Handle[string]) *heldVolumes {
	for i := range h.drivers {
		if h.drivers[i].driver == driver {
			return &h.drivers[i]
		}
	}
	return nil
}

// hasAny reports whether a volume with one of these hashes may be attached. False is certain; true is not,
// because two volumes may have the same hash.
func (h *heldVolumes) hasAny(hashes []uint64) bool {
	for _, hash := range hashes {
		if h.seen.mayHave(hash) {
			if _, found := slices.BinarySearch(h.hashes, hash); found {
				return true
			}
		}
	}
	return false
}
