package queue

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// FuzzQueue lets a fuzzer choose what happens to a queue; after every step it
// holds what the plain [model] holds.
func FuzzQueue(f *testing.F) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 8 {
		seed := make([]byte, 64*(i+1))
		for j := range seed {
			seed[j] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	drive := rapid.MakeFuzz(runQueue)
	f.Fuzz(func(t *testing.T, bytes []byte) { drive(t, widened(bytes)) })
}

// widened makes eight bytes of each, for rapid takes eight for a choice and
// spreads it over all of their bits. What the fuzzer changes is then one choice.
// Behind the last byte every choice is the least, which ends all lists.
func widened(bytes []byte) []byte {
	const tail = 64
	out := make([]byte, 0, 8*(len(bytes)+tail))
	for _, b := range bytes {
		out = binary.LittleEndian.AppendUint64(out, uint64(b)*0x0101010101010101)
	}
	return append(out, make([]byte, 8*tail)...)
}
