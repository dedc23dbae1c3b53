package state

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// NodeSummary has the figures of a node that a decision reads first: the free amounts, and those that the
// least important pods hold. Of most nodes a decision reads nothing else. Summaries lie side by side in
// memory, one cache line each.
type NodeSummary struct {
	// Free is the offered amount less the taken one, by column. It may be negative.
	Free AmountRow
	// Low is the sum of the amounts of the node's pods of the lowest priority, and LowPods their number. Both
	// are zero on a node without pods.
	Low AmountRow
	// Lowest is the lowest priority of a pod on the node, 0 without pods.
	Lowest  int32
	LowPods uint16
	// Room is the number of pods that the node can still take, at most MostPods. It is negative on a node
	// with too many.
	Room  int16
	Flags SummaryFlags
	// Shares[k-1] is the largest sum of shares of any k pods of the lowest priority, times ShareUnit, rounded
	// down. The share of a pod is the fraction of Low that it holds, summed over the columns. The sum gives a
	// better bound than each column, because pods that hold much of one column often hold little of another.
	Shares [TopK]uint8
}

const (
	// MostPods is the largest number of pods on a node that a summary can represent.
	MostPods = 30000
	// ShareUnit scales a sum of shares, which is at most the number of columns, to a byte.
	ShareUnit = 255.0 / NumColumns
)

// SummaryFlags say why a summary alone does not tell everything about its node.
// Most nodes have no flag. HasUnits and OtherPriorities are set only where victims are units.
type SummaryFlags uint8

const (
	// Restricted says that the node may turn away even a pod without demands.
	Restricted SummaryFlags = 1 << iota
	// HasNominated says that pods are nominated to the node.
	HasNominated
	// LargeAmounts says that sums, including those of nominated pods, may overflow an int64, or that there
	// are more than MostPods pods.
	LargeAmounts
	// HasUnits says that pods of the node name groups, so that they may have to leave with others.
	HasUnits
	// OtherPriorities says that some pods of the node count as victims by another priority than their own.
	OtherPriorities

	// AnyUnits has the two flags about units.
	AnyUnits = HasUnits | OtherPriorities
)

// TopK is the largest number k of pods for which bounds on what any k pods hold are kept.
const TopK = 7

// Rounding is an upper bound on the rounding error of a sum of shares.
const Rounding = 1e-9

// Fewest returns a lower bound on how many pods of the lowest priority hold together what the node is short
// of. It is valid only if all of them together hold it. It reads the summary alone, with one division and no
// branch, because it is computed for nearly every node.
func (l *NodeSummary) Fewest(asks *AmountRow) int32 {
	// share is the least sum of shares that the victims must have: the fraction of Low that is short, summed
	// over the columns. The three fractions are brought to one denominator to save two divisions.
	short0, held0 := float64(max(0, asks[0]-l.Free[0])), float64(max(1, l.Low[0]))
	short1, held1 := float64(max(0, asks[1]-l.Free[1])), float64(max(1, l.Low[1]))
	short2, held2 := float64(max(0, asks[2]-l.Free[2])), float64(max(1, l.Low[2]))
	held01 := held0 * held1
	share := ((short0*held1+short1*held0)*held2 + short2*held01) / (held01 * held2)

	// If k pods are enough, Shares[k-1] was rounded down from at least share. Rounding was added there and is
	// subtracted here, which is more than the errors of both. So Shares[k-1] is at least the number computed
	// here, and every k with a smaller entry is too few.
	below := sharesBelow(&l.Shares, uint64(int64((share-Rounding)*ShareUnit)))

	// Each victim makes room for one pod, and the preemptor needs one more than there is.
	return max(int32(1+below), 1-int32(l.Room))
}

// sharesBelow returns how many shares are below least, which is from 0 to 255. The shares ascend, so that
// this is the index of the first that is not below.
func sharesBelow(shares *[TopK]uint8, least uint64) int {
	const (
		bytes = 0x00ff00ff00ff00ff
		ones  = 0x0001000100010001
		above = 0x0100010001000100
	)
	all := uint64(binary.LittleEndian.Uint32(shares[0:])) |
		uint64(binary.LittleEndian.Uint16(shares[4:]))<<32 | uint64(shares[6])<<48

	// Every other byte gets a lane of 16 bits, with the bit above the byte set. The subtraction borrows that
	// bit exactly if the byte is below least.
	even := (all&bytes | above) - least*ones
	odd := (all>>8&bytes | above) - least*ones

	// Bit 8*i is now set if share i is not below least. One more bit, behind the last share, ends the search.
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

	// If offered, taken and claimed amounts each stay within a quarter of the range, the bounds can add and
	// subtract them without overflow.
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

// claimsTooMuch reports whether the sum of what nominated pods ask for exceeds a quarter of the range of
// int64.
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

// shareOf returns the fraction of total that row makes up, summed over the columns.
func shareOf(row, total *AmountRow) float64 {
	share := 0.0
	for k, v := range row {
		share += float64(v) / float64(max(1, total[k]))
	}
	return share
}

// insertShare inserts a share into the largest ones so far, which are in falling order. pods is their number,
// at most TopK; at TopK the least drops out.
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
