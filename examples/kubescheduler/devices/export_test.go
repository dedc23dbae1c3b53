package devices

// Asked is how often the allocator was asked since the objects were set.
func (f *Filter) Asked() int {
	x := f.x.Load()
	x.answers.mu.Lock()
	defer x.answers.mu.Unlock()
	return x.asked
}

// Forget makes the filter ask the allocator each time.
func (f *Filter) Forget() { f.x.Load().answers.most = 0 }
