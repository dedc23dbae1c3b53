package dryrun

import (
	"context"

	"github.com/outrank-go/outrank/internal/work"
)

// ChunkSize is how many nodes a worker takes at a time. The context is checked
// once per chunk.
const ChunkSize = 64

// InChunks calls visit for all chunks of the positions below n, by this many
// workers, and waits for all of them. The first worker is the caller's
// goroutine. It stops early with the context's error, and panics in the caller's
// goroutine with what a visit panics with. Which worker visits which
// chunk is not determined, so visit has to record what it finds by position.
func InChunks(ctx context.Context, workers, n, chunk int, visit func(worker, from, to int)) error {
	return work.Chunks(ctx, workers, n, chunk, visit)
}
