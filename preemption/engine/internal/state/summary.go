package state

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// NodeSummary has the figures that a decision reads first of every node: the amounts that are free,
// and those that the least important pods hold. Summaries lie side by side in memory, one cache line
// each. Of most nodes a decision reads nothing else.
type NodeSummary struct {
	// Free is what the node offers less what is taken, by column; it may be
	// below zero.
	Free AmountRow
	// Low is the sum of what the pods of the lowest priority on the node hold, and
	// LowPods their number; both are zero on a node without pods.
	Low AmountRow
	// Lowest is the lowest priority.
	Lowest  int32
	LowPods uint16
	// Room is the number of pods that the node may still take, at most MostPods. It is below
	// zero on a node with too many.
	Room  int16
	Flags SummaryFlags
	// Shares[k-1] is the largest sum of shares that k pods of the lowest priority can have,
	// times ShareUnit, rounded down. The share of a pod is the part of Low that the pod
	// holds, added up over the columns. Adding up helps because pods that hold much of one
	// column often hold little of another.
	Shares [TopK]uint8
}

const (
	// MostPods is the largest number of pods on a node that a summary can
	// express.
	MostPods = 30000
	// ShareUnit scales shares to a byte. No sum of shares exceeds the number of
	// columns.
	ShareUnit = 255.0 / NumColumns
)

// SummaryFlags say why a summary alone does not tell everything about its node.
// Most nodes have no flag. HasUnits and OtherPriorities are set only where victims are units.
type SummaryFlags uint8

const (
	// Restricted says that the node itself may keep pods away.
	Restricted SummaryFlags = 1 << iota
	// HasNominated says that pods are nominated to the node.
	HasNominated
	// LargeAmounts says that sums, those of nominated pods included, are too large for
	// plain arithmetic, or that there are too many pods.
	LargeAmounts
	// HasUnits says that pods of the node name groups, so that they may leave with others.
	HasUnits
	// OtherPriorities says that some pods of the node count as victims with another priority
	// than their own.
	OtherPriorities

	// AnyUnits has the two flags about units.
	AnyUnits = HasUnits | OtherPriorities
)

// TopK is the number of pods up to which a node keeps the largest sums that as many pods can hold.
const TopK = 7

// Rounding is larger than the error of any sum of shares.
const Rounding = 1e-9

// Fewest returns a lower bound on how many pods of the lowest priority hold
// what the node is short of. All of them together must hold it. The bound is
// computed from the summary alone, with one division and no branch, because it
// is needed for nearly every node.
func (l *NodeSummary) Fewest(asks *AmountRow) int32 {
	// share is the least sum of shares that the victims must have: of each column the part of Low that
	// is short, added up. The three fractions are brought to one denominator.
	short0, held0 := float64(max(0, asks[0]-l.Free[0])), float64(max(1, l.Low[0]))
	short1, held1 := float64(max(0, asks[1]-l.Free[1])), float64(max(1, l.Low[1]))
	short2, held2 := float64(max(0, asks[2]-l.Free[2])), float64(max(1, l.Low[2]))
	held01 := held0 * held1
	share := ((short0*held1+short1*held0)*held2 + short2*held01) / (held01 * held2)

	// Where k pods are enough, Shares[k-1] was rounded down from at least this share, and is not
	// below this share rounded down: the Rounding that was added there and is taken off here is
	// more than the errors of both. So every k whose entry is below it is too few.
	below := sharesBelow(&l.Shares, uint64(int64((share-Rounding)*ShareUnit)))

	// Each victim makes room for one pod, and the preemptor needs one more than there is.
	return max(int32(1+below), 1-int32(l.Room))
}

// sharesBelow returns how many shares are below least, a number from 0 to 255. The shares do not fall,
// so that the ones below are those before the first that is not.
func sharesBelow(shares *[TopK]uint8, least uint64) int {
	const (
		bytes = 0x00ff00ff00ff00ff
		ones  = 0x0001000100010001
		above = 0x0100010001000100
	)
	all := uint64(binary.LittleEndian.Uint32(shares[0:])) |
		uint64(binary.LittleEndian.Uint16(shares[4:]))<<32 | uint64(shares[6])<<48

	// Every second byte gets 16 bits of a word. The bit above the byte is set, and is borrowed by
	// the subtraction exactly where the byte is below least.
	even := (all&bytes | above) - least*ones
	odd := (all>>8&bytes | above) - least*ones

	// Bit 8*i is set now if share i is not below, and one more behind the last share.
	return bits.TrailingZeros64((even&above)>>8|odd&above|1<<(8*TopK)) / 8
}

// SummaryOf computes the summary of a node without its shares (setTopSums) and without the flags that
// depend on more than the node itself: Restricted, HasUnits and OtherPriorities.
func SummaryOf(n *NodeState) NodeSummary {
	l := NodeSummary{Room: int16(min(n.MaxPods-int64(min(len(n.Pods), MostPods)), MostPods))}
	if len(n.Pods) > MostPods {
		l.Flags |= LargeAmounts
	}
	if len(n.Nominated) > 0 {
		l.Flags |= HasNominated
	}
	if claimsTooMuch(n.Nominated) {
		l.Flags |= LargeAmounts
	}

	// Offered, taken and claimed amounts each stay within a quarter of the range, so that the bounds
	// can add and subtract them without overflow.
	for k := range NumColumns {
		taken := n.Taken.Std[k].Saturated()
		if taken > math.MaxInt64/4 || n.Offers.Std[k] > math.MaxInt64/4 {
			l.Flags |= LargeAmounts
		}
		l.Free[k] = n.Offers.Std[k] - taken
	}

	if len(n.Levels) > 0 {
		low := &n.Levels[0]
		l.Lowest, l.LowPods, l.Low = low.Priority, uint16(min(low.Pods, MostPods)), low.Held
	}
	return l
}

// claimsTooMuch reports whether the sum of what pending pods ask for is too large to be
// subtracted from what is free by plain arithmetic.
func claimsTooMuch(pods []*PodState) bool {
	var claimed AmountRow
	for _, p := range pods {
		for k, v := range p.Takes.Std {
			if v > math.MaxInt64/4-claimed[k] {
				return true
			}
			claimed[k] += v
		}
	}
	return false
}

// shareOf returns the part of a total that a row makes up, added up over the columns.
func shareOf(row, total *AmountRow) float64 {
	share := 0.0
	for k, v := range row {
		share += float64(v) / float64(max(1, total[k]))
	}
	return share
}

// insertShare inserts a share into the largest ones so far, the largest first. There are as many
// as pods, at most TopK; where these are all, the least of them drops out.
func insertShare(shares *[TopK]float64, v float64, pods int) {
	at := pods
	if at == TopK {
		if at--; v <= shares[at] {
			return
		}
	}
	for ; at > 0 && v > shares[at-1]; at-- {
		shares[at] = shares[at-1]
	}
	shares[at] = v
}
