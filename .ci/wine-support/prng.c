/* For tests under Wine 8, which lacks bcryptprimitives.dll: the one function of it that Rust's
   standard library uses. Never part of a package. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
    return RtlGenRandom(data, (ULONG)length);
}
