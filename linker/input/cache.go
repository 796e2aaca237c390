package input

import (
	"sync"
	"sync/atomic"

	"github.com/culink/culink/linker/slab"
)

// Cache keeps the files that one command opens, so that each is read once however many steps and targets look at it.
// The zero value is ready for use, also by several goroutines. Files stay open until Close.
type Cache struct {
	mu      sync.Mutex
	entries map[string]*cacheEntry
	size    atomic.Int64 // bytes of all files
}

type cacheEntry struct {
	once sync.Once
	file *file
	err  error
}

// open returns the file at a path, opened at the first call; without a cache it is opened each time.
func (c *Cache) open(path string) (*file, error) { return c.openInto(path, nil) }

// openInto is open with a pool for the bytes of a file that is read.
func (c *Cache) openInto(path string, bytes *slab.Pool[byte]) (*file, error) {
	if c == nil {
		return openFile(path, bytes)
	}
	c.mu.Lock()
	e := c.entries[path]
	if e == nil {
		if c.entries == nil {
			c.entries = map[string]*cacheEntry{}
		}
		e = &cacheEntry{}
		c.entries[path] = e
	}
	c.mu.Unlock()
	e.once.Do(func() {
		if e.file, e.err = openFile(path, bytes); e.err == nil {
			e.file.shared = true
			c.size.Add(int64(len(e.file.data)))
		}
	})
	return e.file, e.err
}

// Close unmaps all files: nothing that was read through the cache may be used any more.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first error
	for _, e := range c.entries {
		if e.file == nil {
			continue
		}
		e.file.shared = false
		if err := e.file.close(); err != nil && first == nil {
			first = err
		}
	}
	c.entries = nil
	return first
}
