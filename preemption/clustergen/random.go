package clustergen

import (
	"fmt"
	"math/rand/v2"

	"github.com/outrank-go/outrank"
)

// subject separates the streams of random numbers by purpose.
type subject uint64

// Every subject has a stream of its own for every object, so that no draw moves
// another: more nodes or another feature leave the rest as it is.
const (
	ofKinds subject = iota + 1
	ofKindPorts
	ofKindAffinity
	ofKindVolumes
	ofLayouts
	ofNodes
	ofNodeTaints
	ofNodeStorage
	ofNodeFeatures
	ofResidents
	ofMembers
	ofBystanders
	ofNominated
	ofBudgets
	ofGroups
	ofPreemptor
	ofPreemptorNomination
	ofPreemptorTaints
	ofPreemptorSelectors
	ofPreemptorPorts
	ofPreemptorAffinity
	ofPreemptorSpread
	ofPreemptorVolumes
	ofPreemptorFeatures
	ofPreemptorGroup
)

// maxIndex is more than the index of any object of a subject.
const maxIndex = 1 << 32

// generator is a valid shape, its defaults filled in, with a seed.
type generator struct {
	Shape
	seed uint64
}

// placedPod is a pod with its place among the pods of the cluster: they are
// sorted by it. A pod keeps its place relative to others when there are fewer.
type placedPod struct {
	*outrank.Pod
	place uint64
}

// Keys of node labels.
const (
	hostnameKey   = "kubernetes.io/hostname"
	zoneKey       = outrank.ZoneLabel
	rackKey       = "rack"
	diskKey       = "disk"
	generationKey = "generation"
)

// stream returns the random numbers for one object of a subject.
func (g *generator) stream(of subject, index int) *rand.Rand {
	return rand.New(rand.NewPCG(mix(g.seed), mix(uint64(of)*maxIndex+uint64(index))))
}

// mix spreads numbers that differ in a few bits over all 64 (the finalizer of
// splitmix64), so that the streams of neighbours have nothing in common.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// pick draws one of the options; one that is repeated is likelier.
func pick[T any](r *rand.Rand, options ...T) T { return options[r.IntN(len(options))] }

// oneIn is true once in n times.
func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// between draws a number from least to most.
func between(r *rand.Rand, least, most int) int { return least + r.IntN(most-least+1) }

// several draws between least and most elements.
func several[T any](r *rand.Rand, least, most int, draw func(*rand.Rand) T) []T {
	var list []T
	for range between(r, least, most) {
		list = append(list, draw(r))
	}
	return list
}

func newGenerator(shape Shape, seed uint64) (*generator, error) {
	if err := shape.Validate(); err != nil {
		return nil, err
	}
	return &generator{shape.withDefaults(), seed}, nil
}

// nodeName is the name of node i in every cluster. Its first letter makes the
// order of the names another one than that of the nodes.
func nodeName(i int) string { return fmt.Sprintf("%c%d", 'a'+byte(mix(uint64(i))%26), i) }

// someNode draws the name of a node of the cluster.
func (g *generator) someNode(r *rand.Rand) string { return nodeName(r.IntN(g.Nodes)) }
