package draw

import (
	"hash/fnv"
	"math/rand/v2"
)

// Seeded returns the numbers of a seed, the same ones on every platform.
func Seeded(seed uint64) Numbers { return streams(mix(seed)) }

type streams uint64

// Of returns a stream of random numbers that has nothing in common with those of other things.
func (n streams) Of(sort string, index int) Source {
	h := fnv.New64a()
	h.Write([]byte(sort))
	return stream{rand.New(rand.NewPCG(uint64(n), mix(h.Sum64()+mix(uint64(index)))))}
}

type stream struct{ r *rand.Rand }

func (s stream) Int(_ string, least, most int) int { return least + s.r.IntN(most-least+1) }

// mix spreads numbers that differ in a few bits over all 64 (the finalizer of splitmix64), so that
// the streams of neighbours have nothing in common.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
