package filters

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"unique"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// holdings are what the pods of one node hold beside resources: ports, disks, and places for
// volumes. The snapshot has them made anew with each change of the node, and nobody writes
// them afterwards, so that snapshots can share them.
type holdings struct {
	ports   []heldPort
	disks   []heldDisk
	drivers []heldVolumes // of the drivers that the node limits
	// claims are those that pods mention, also those of other namespaces and more than once.
	claims []heldClaim
	// volumes is set if any pod has volumes, of whatever sort.
	volumes bool
	// lacksDriver is set if the node says of a driver that it is not there.
	lacksDriver bool
}

// heldPort is a host port of a pod, and heldDisk a disk that it mounts directly. The pods are
// known by index, the most important first.
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

// heldVolumes are the volumes that one driver has attached to the node.
type heldVolumes struct {
	driver   unique.Handle[string]
	limit    int64
	attached int64
	// shared is set if pods have a volume in common, so that it may stay when one leaves.
	shared bool
	// hashes are those of the volumes, sorted: a volume without its hash there is not attached.
	// seen has a bit for each of them, and mostly no bit for another.
	hashes []uint64
	seen   bitSet
	// pods hold so many volumes each, and none more than most.
	pods []hold
	most int32
}

// hold is how much of something a pod of the node holds. Its priority is here, too, so that
// nothing else of it has to be looked at.
type hold struct{ pod, amount, priority int32 }

// volumeID tells the volumes of one driver apart: by handle, or for one that is
// yet to be made, by the claim that it is for and its namespace.
type volumeID struct{ namespace, name string }

// attached gives what attaches a volume of the pod and its identity there; no
// driver for one that counts against no limit.
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

// holdingsOf returns the holdings of a node and its pods.
func holdingsOf(n *state.NodeState) *holdings {
	h := &holdings{lacksDriver: len(n.Node.MissingDrivers) > 0}
	for name, limit := range n.Node.AttachLimits {
		h.drivers = append(h.drivers, heldVolumes{driver: unique.Make(name), limit: limit})
	}
	for i, p := range n.Pods {
		each := hold{int32(i), 1, p.Pod.PriorityValue()}
		for _, port := range fit.HostPorts(p.Pod) {
			h.ports = append(h.ports, heldPort{port, each})
		}
		for j := range p.Pod.Volumes {
			h.volumes = true
			v := &p.Pod.Volumes[j]
			if v.Disk.Kind != "" {
				h.disks = append(h.disks, heldDisk{&v.Disk, each})
			}
			if state.UsesClaim(v) {
				h.claims = append(h.claims, heldClaim{v, hashOfClaim(v.Claim), each})
			}
		}
	}
	if h.volumes {
		for i := range h.drivers {
			h.drivers[i].count(n.Pods)
		}
	}
	return h
}

// noHoldings are those of most nodes.
var noHoldings holdings

// heldOn returns what the snapshot has of a node.
func heldOn(n *state.NodeState) *holdings {
	if h, ok := n.Held.(*holdings); ok {
		return h
	}
	return &noHoldings
}

// count counts the volumes of the driver.
func (h *heldVolumes) count(pods []*state.PodState) {
	holder := map[volumeID]int32{}
	for i, p := range pods {
		own := int32(0)
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
			case first != int32(i):
				h.shared = true
			}
		}
		if own > 0 {
			h.pods, h.most = append(h.pods, hold{int32(i), own, p.Pod.PriorityValue()}), max(h.most, own)
		}
	}
	h.attached = int64(len(holder))
	slices.Sort(h.hashes)
	h.seen = bitSetOf(h.hashes)
}

// bitSet has a bit for each of some hashes. Its length is a power of two.
type bitSet []uint64

// bitsPerHash is how many bits there are at least for each hash.
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

// may reports whether a hash may be one of these.
func (s bitSet) mayHave(hash uint64) bool { return len(s) > 0 && s[s.word(hash)]&(1<<(hash%64)) != 0 }

// of returns the volumes of a driver, nil if the node does not limit it.
func (h *holdings) volumesOf(driver unique.Handle[string]) *heldVolumes {
	for i := range h.drivers {
		if h.drivers[i].driver == driver {
			return &h.drivers[i]
		}
	}
	return nil
}

// hasAny reports that a volume of one of these hashes may be attached.
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
