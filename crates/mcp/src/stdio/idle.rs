//! What a server gives back while nobody asks anything of it: free memory of the heap, and pages of
//! the program that only starting or an earlier call needed. Of the 14 MiB that are resident after the
//! start, 10 are such pages: the kernel maps 128 KiB around each place that runs once.

/// Gives it back. A page of the program that is needed again is in the cache of the kernel.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "calls of the C library that take addresses")]
pub(super) fn give_back() {
    // SAFETY: the first may be called at any time; the second calls `drop_pages` with what it needs.
    unsafe {
        libc::malloc_trim(0);
        libc::dl_iterate_phdr(Some(drop_pages), std::ptr::null_mut());
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}

/// Drops the pages of the first object, the program itself, that nothing ever writes to.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "reads what the loader tells of the program")]
unsafe extern "C" fn drop_pages(
    object: *mut libc::dl_phdr_info,
    _: libc::size_t,
    _: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader gives a valid object, and its headers live as long as the program.
    let (base, segments) = unsafe {
        let object = &*object;
        let count = usize::from(object.dlpi_phnum);
        (object.dlpi_addr, std::slice::from_raw_parts(object.dlpi_phdr, count))
    };
    let constant = segments
        .iter()
        .filter(|segment| segment.p_type == libc::PT_LOAD && segment.p_flags & libc::PF_W == 0);
    for segment in constant {
        let start = (base + segment.p_vaddr) & !(segment.p_align.max(1) - 1);
        let length = base + segment.p_vaddr + segment.p_memsz - start;
        // SAFETY: what is mapped there is of a file and was never written to, so that reading it
        // again gives the same.
        unsafe { libc::madvise(start as *mut _, length as usize, libc::MADV_DONTNEED) };
    }
    1
}
