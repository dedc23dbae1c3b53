package filter

// nodeResourcesFitEntry draws nothing of its own, because every drawn pod asks for resources and every
// drawn node has little of them to spare.
var nodeResourcesFitEntry = Entry{Name: NodeResourcesFit}
