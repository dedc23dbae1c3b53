package draw

import (
	"hash/fnv"
	"math/rand/v2"
)

// Seeded returns the numbers of a seed, which are the same on every platform.
func Seeded(seed uint64) Numbers { return streams(mix(seed)) }

// streams derives the seed of each stream from its own value, which is mixed from the seed of the whole.
type streams uint64

// Of returns a stream of random numbers that is independent of the streams of all other things.
func (n streams) Of(sort string, index int) Source {
	h := fnv.New64a()
	h.Write([]byte(sort))
	return stream{rand.New(rand.NewPCG(uint64(n), mix(h.Sum64()+mix(uint64(index)))))}
}

type stream struct{ r *rand.Rand }

func (s stream) Int(_ string, least, most int) int { return least + s.r.IntN(most-least+1) }

// mix turns numbers that differ in a few bits into numbers that differ in about half of all 64 (the finalizer
// of splitmix64), so that streams with neighbouring indexes are unrelated.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
