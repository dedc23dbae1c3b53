package engine_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/gen"
)

// FuzzSnapshotChanges lets a fuzzer choose what [machine] does: pods, nodes,
// budgets and groups come, change and go, marks are set, undone and kept, and
// clones are taken. After every step the snapshot is as if built anew.
func FuzzSnapshotChanges(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 8 {
		seed := make([]byte, 1024*(i+1)) // the cluster takes some hundred of them
		for j := range seed {
			seed[j] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	shape := gen.Shape{Nodes: 2, PodsPerNode: 2, Budgets: 2, Nominated: 2, Affinity: true, Ports: true, Volumes: true}
	change := rapid.MakeFuzz(func(t *rapid.T) {
		m := newMachine(gen.Cluster(shape).Draw(t, "cluster"))
		t.Repeat(rapid.StateMachineActions(m))
	})
	f.Fuzz(func(t *testing.T, bytes []byte) { change(t, widened(bytes)) })
}

// widened makes eight bytes of each, for rapid takes eight for a choice and
// spreads it over all of their bits. What the fuzzer changes is then one choice.
// Behind the last byte every choice is the least, which ends all lists.
func widened(bytes []byte) []byte {
	const tail = 1024
	out := make([]byte, 0, 8*(len(bytes)+tail))
	for _, b := range bytes {
		out = binary.LittleEndian.AppendUint64(out, uint64(b)*0x0101010101010101)
	}
	return append(out, make([]byte, 8*tail)...)
}
